import Logging
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryStore

/// One pass of the compaction: it collects the facts for the rules, and carries out their decisions.
struct CompactionPass: Sendable {
    let sync: SyncService
    let queue: SerialQueue
    /// Opened once for the pass: files are removed only from the folder where the baseline was read, even after a new
    /// mount.
    let logs: LogFolder
    let mode: Compactor.Mode
    let progress: StoreCheck.Progress
    let cancellation = ReadCancellation()

    private var store: Store { sync.environment.store }
    private var logger: Logger { sync.environment.logger }
    private var wall: WallTime { sync.environment.wall }

    func run() async throws -> CompactionReport {
        try await withTaskCancellationHandler {
            var report = CompactionReport(dryRun: mode == .dryRun)
            // The baselines and endorsements of this pass must remain until the next pass.
            if mode != .dryRun { try await releaseLines() }
            if mode != .dryRun, logs.keys.current != nil { try await encryptBlobs() }
            progress("verification", 0, nil)
            report.verification = try await compare()
            progress("baseline", 0, nil)
            do {
                report.baseline = try await cut()
            } catch let error as SegmentError where error.kind == .forked {
                report.baseline = .waits("\(error). If nobody needs it: rm -r \(error.file.shellWord)")
            } catch let error as SegmentError where error.kind == .rejected {
                // Files that earlier baselines cover are still removed.
                report.baseline = .waits("No reader would accept it: \(error.reason).")
            }
            // A store that is alone compares its own baseline.
            if report.baseline.result == .cut, mode != .dryRun, report.verification == .nothing {
                report.verification = try await compare()
            }
            progress("removal", 0, nil)
            try await remove(&report)
            return report
        } onCancel: {
            cancellation.cancel()
        }
    }

    /// An administrator vouches for the transactions that this store lacks; everything else is compared by the usual law.
    func accept(_ name: BaselineName, isUnproven: Bool) async throws -> CompactionReport.Step {
        let facts = try await facts()
        let known = facts.knownBaselines
        guard let baseline = known.baselines[name] else {
            guard let refusal = known.refused[name] else { throw SyncError.noSuchBaseline(name) }
            throw SyncError.baselineUnusable(name, reason: refusal.sentence, hint: refusal.hint)
        }
        guard !known.isVerified(baseline) else {
            return .init(result: .exists, file: name.path, detail: "A store has endorsed it already.")
        }
        guard baseline.modelHash == facts.modelHash else {
            throw SyncError.baselineUnusable(
                name,
                reason: ComparisonRule.otherModel,
                hint: "On a machine of that version, also on the machine of writer \(name.writer), which has made it: "
                    + SyncError.acceptCommand(name)
            )
        }
        if let claim = try await falseClaim(baseline, facts) { throw SyncError.baselineContradicts(name, claim) }
        let rule = ComparisonRule(facts: facts)
        switch try await verdict(on: baseline, isOwn: rule.isOwn(baseline), rule, .withUnknown) {
        case .sound: break
        case .open(let reason): guard isUnproven else { throw SyncError.baselineUnproven(name, reason) }
        case .differs(let difference): throw SyncError.baselineContradicts(name, difference)
        }
        var step = try await publish(nil, on: baseline, facts)
        step.detail = try await queue.run { try held(baseline) }
        return step
    }

    /// Nil unless a clock in the baseline is too far ahead.
    private func held(_ baseline: KnownBaseline) throws -> String? {
        let wall = wall
        let writers = try BaselineSummary.read(logs.open(baseline, ImportControl())).writers
        guard let held = sync.state.read({ $0.planner.refusal(ofClocksIn: writers, wall: wall) }) else { return nil }
        return "No store joins it yet: \(held.reason). \(held.hint)"
    }

    /// The reason if the baseline claims transactions of the own writer that this store has not written; otherwise nil.
    private func falseClaim(_ baseline: KnownBaseline, _ facts: CompactionFacts) async throws -> String? {
        let own = facts.own
        guard baseline.vector[own] > facts.vector[own] else { return nil }
        return try await store.writeAsync { transaction in
            let sequence = try transaction.reader.writers.record(of: own)?.sequence ?? 0
            guard baseline.vector[own] > sequence, try transaction.continues(as: own) else { return nil }
            return TakenNames.claimReason(own, after: sequence) + "."
        }
    }

    /// The baselines include the files that this pass has published.
    private func facts() async throws -> CompactionFacts {
        let (wall, model) = (wall, store.modelHash)
        let (knownBaselines, keep) = sync.state.read { ($0.knownBaselines, $0.configuration.keepSegments) }
        let own = try await store.readAside { try $0.writers.own().id }
        let trust = (keys: sync.environment.trust, store: store)
        let current = try await queue.run { try knownBaselines.withOwn(own, in: logs, trusting: trust, wall: wall) }
        return try await store.readAside {
            try CompactionFacts($0, modelHash: model, knownBaselines: current, keep: keep, wall: wall)
        }
    }

    /// Segments are removed in time, but large values stay, so these are encrypted again with the current key.
    private func encryptBlobs() async throws {
        let facts = try await facts()
        let count = try await queue.run {
            try facts.owners.reduce(0) { try $0 + logs.encryptBlobs(of: $1, step: stop) }
        }
        guard count > 0 else { return }
        sync.environment.published(facts.own)
        logger.notice("encrypted large values with the current key", metadata: ["count": "\(count)"])
    }

    private static let attempts = 3

    private func cut(attempt: Int = 1) async throws -> CompactionReport.Step {
        if mode == .requested { try await sync.exportBeyondLimit() }
        var facts = try await facts()
        if mode == .automatic {
            // Unexported transactions are exported when there is a reason to cut.
            facts.hasUnexported = false
            let rule = CutRule(facts: facts)
            guard case .cut = rule.decision, rule.isOwnTurn else { return .init(rule.decision) }
            guard rule.isWorthwhile(uncovered: try await uncovered(facts)) else {
                return .waits("There is too little that could be removed.")
            }
            try await sync.exportBeyondLimit()
            facts = try await self.facts()
        }
        // A transaction without changes gives the baseline another name.
        if CutRule(facts: facts).decision == .acknowledge, mode != .dryRun {
            try await acknowledge()
            facts = try await self.facts()
        }
        let decision = CutRule(facts: facts).decision
        guard case .cut(let name) = decision, mode != .dryRun else { return .init(decision) }
        // The state in a baseline must survive a power failure of this store, like the state in segments.
        try await queue.run { try StoreSync(path: store.configuration.path).run() }
        let isCut = try await store.readAside { [facts] reader in
            // The store may have new transactions by now, which change the name or the vector.
            guard try reader.writers.own().id == facts.own, try VersionVector(reader.writers.all()) == facts.vector
            else { return false }
            try publish(name, reader)
            return true
        }
        if !isCut {
            guard attempt < CompactionPass.attempts else {
                return .waits("The store has changed meanwhile; the next attempt takes the new state.")
            }
            return try await cut(attempt: attempt + 1)
        }
        sync.environment.published(name.writer)
        let bytes = FileAttributes(name.path, in: logs)?.bytes ?? 0
        logger.notice("cut a baseline", metadata: ["baseline": "\(name.path)", "bytes": "\(bytes)"])
        return .init(decision)
    }

    private func acknowledge() async throws {
        try await sync.environment.replica.acknowledge()
        try await sync.exportBeyondLimit()
    }

    /// The bytes of the segments that are old enough and that no verified baseline covers.
    private func uncovered(_ facts: CompactionFacts) async throws -> UInt64 {
        try await queue.run {
            let listing = try LogListing(logs)
            let (vector, covered) = (facts.vector, facts.knownBaselines.covered)
            var bytes: UInt64 = 0
            for (writer, names) in listing.names {
                for name in names where name.last > covered[writer] && name.last <= vector[writer] {
                    guard let file = FileAttributes(name.path, in: logs) else { continue }
                    if file.modified.wall.later(by: facts.keep) <= facts.wall {
                        bytes = bytes.addingSaturating(file.bytes)
                    }
                }
            }
            return bytes
        }
    }

    private func compare() async throws -> CompactionReport.Step {
        var rule = ComparisonRule(facts: try await facts())
        var obstacle: CompactionReport.Step?
        while true {
            switch rule.decision {
            case .nothing: return obstacle ?? .nothing
            case .wait(let baseline, let reason): return obstacle ?? .waits(reason, for: baseline.name)
            case .behind(let baseline):
                if sync.state.update({ $0.awaits(baseline.vector) }) { sync.signals.baselines.raise() }
                let reason = "It has transactions that this store has not applied yet."
                return obstacle ?? .waits(reason, for: baseline.name)
            case .compare(let baseline, let isOwn):
                guard mode != .dryRun else { return .verified(baseline.name) }
                if mode == .automatic, let reason = try await openAnswer(baseline, isOwn: isOwn, rule) {
                    obstacle = obstacle ?? .waits(reason, for: baseline.name)
                    rule.obstructed.insert(baseline.name)
                    continue
                }
                do {
                    switch try await verdict(on: baseline, isOwn: isOwn, rule) {
                    case .sound: return try await publish(nil, on: baseline, rule.facts)
                    case .differs(let difference): return try await publish(difference, on: baseline, rule.facts)
                    case .open(let reason): obstacle = obstacle ?? .waits(reason, for: baseline.name)
                    }
                } catch let error where error is SegmentError || error is StoreError || error is ExportFailure {
                    obstacle = obstacle ?? .waits(ErrorText.text(of: error), for: baseline.name)
                }
                rule.obstructed.insert(baseline.name)
            }
        }
    }

    /// An earlier answer is valid until the missing transaction arrives; O(n) for the segments of its writer.
    private func openAnswer(_ baseline: KnownBaseline, isOwn: Bool, _ rule: ComparisonRule) async throws -> String? {
        guard let answer = sync.state.read({ $0.openAnswers[baseline] }), !(isOwn && rule.isLastResort(baseline)) else {
            return nil
        }
        guard let missing = answer.missing else { return answer.reason }
        return try await queue.run { try segments.lack(missing) } ? answer.reason : nil
    }

    private var segments: AppliedSegments {
        AppliedSegments(logs: logs, store: store, trust: sync.environment.trust)
    }

    /// Compares a baseline with the store's own state, and a baseline of the same origin also with the log folder.
    private func verdict(
        on baseline: KnownBaseline,
        isOwn: Bool,
        _ rule: ComparisonRule,
        _ extent: BaselineLaw.Extent = .applied
    ) async throws -> BaselineLaw.Verdict {
        let verifier = BaselineVerifier(segments: segments, cancellation: cancellation) { [progress] in
            progress("verification", $0, nil)
        }
        var unusable: Set<BaselineName> = []
        while true {
            let known = rule.facts.knownBaselines
            let bases = isOwn ? known.bases(of: baseline.vector, except: unusable) : nil
            do {
                let found = try await store.readAside { try verifier.verify(baseline, $0, extent, against: bases) }
                func open(_ reason: String, _ missing: AppliedSegments.Transaction?) -> BaselineLaw.Verdict {
                    if extent == .applied {
                        sync.state.update { $0.openAnswers[baseline] = (reason, missing) }
                    }
                    return .open(reason)
                }
                if case .open(let reason) = found.verdict, found.isCompared {
                    return open(reason, found.lackingLater)
                }
                guard case .sound = found.verdict, let missing = found.lack else { return found.verdict }
                let lack =
                    "The log folder lacks transaction \(missing.sequence) of writer \(missing.writer), and no verified "
                    + "baseline has it."
                guard extent == .withUnknown || rule.isLastResort(baseline) else { return open(lack, missing) }
                logger.warning(
                    "a baseline is compared with the store alone",
                    metadata: ["baseline": "\(baseline.name.path)", "reason": "\(lack)"]
                )
                return .sound
            } catch let error as SegmentError where error.isOfContent {
                let read = [baseline] + (bases ?? [])
                guard let broken = read.first(where: { error.file.hasSuffix($0.name.path) }) else { throw error }
                let refusal = KnownBaselines.refusal(error, former: nil, wall: wall)
                sync.state.update { $0.refused(broken.name, refusal, wall: wall) }
                // Another base, or the segments, may suffice.
                guard broken != baseline, unusable.insert(broken.name).inserted else { throw error }
            }
        }
    }

    private func publish(
        _ difference: String?,
        on baseline: KnownBaseline,
        _ facts: CompactionFacts
    ) async throws -> CompactionReport.Step {
        let name = baseline.name
        let found = BaselineComparison(
            BaselineComparison.Name(writer: try await ownWithFolder(facts), of: name),
            sha256: baseline.sha256,
            difference: difference
        )
        // The state that endorses a baseline must survive a power failure of this store.
        try await queue.run {
            try StoreSync(path: store.configuration.path).run()
            try publish(found, of: facts.store)
        }
        sync.environment.published(found.name.writer)
        let metadata: Logger.Metadata = ["baseline": "\(name.path)"]
        guard let difference else {
            logger.notice("endorsed a baseline", metadata: metadata)
            return .verified(name)
        }
        logger.error("a baseline differs", metadata: metadata.merging(["difference": "\(difference)"]) { $1 })
        return .differs(name)
    }

    /// A store that has never published anything as this writer first publishes an acknowledgement, to get a folder.
    private func ownWithFolder(_ facts: CompactionFacts) async throws -> UniqueID {
        let isNew = try await store.readAside { try !$0.outbox.exporters().contains(facts.own) }
        guard isNew, logs.lacksFolder(of: facts.own) else { return facts.own }
        try await acknowledge()
        return try await store.readAside { try $0.writers.own().id }
    }

    // MARK: Removal

    private func remove(_ report: inout CompactionReport) async throws {
        let (facts, wall) = (try await facts(), wall)
        let lone = try await queue.run { try facts.lone(LogListing(logs)) }
        sync.state.update { $0.found(lone: lone, wall: wall) }
        var missing: [MissingExports] = []
        // A folder without files of the store may be the mount point of an unmounted share, which is another problem.
        if try await queue.run({ try store.read { try LostFolder(in: logs, $0).lacking } }) == nil {
            let vector = facts.vector
            for (owner, released) in facts.released {
                let position = vector[owner]
                if let found = try await self.missing(owner, after: released, through: position) {
                    missing.append(found)
                }
            }
        }
        missing.sort { $0.first < $1.first }
        sync.state.update { $0.found(missing: missing, wall: wall) }
        for owner in facts.owners where owner == facts.own || !logs.lacksFolder(of: owner) {
            let (facts, decision) = try await decide(owner)
            guard mode != .dryRun, !decision.isEmpty else {
                report.add(decision, facts, planned: sync.state.read(\.planner.baselines))
                continue
            }
            do {
                _ = try await queue.run { try logs.remove(decision.fileNames, of: owner) }
                sync.environment.published(owner)
                report.add(decision, facts, planned: sync.state.read(\.planner.baselines))
                logger.notice(
                    "removed files that a verified baseline replaces",
                    metadata: [
                        "writer": "\(owner)", "segments": "\(decision.removed.count)",
                        "baselines": "\(decision.baselines.count)",
                        "comparisons": "\(decision.comparisons.count)",
                    ]
                )
            } catch let error as SegmentError where owner != facts.own {
                report.add(failed: decision, facts, because: "it cannot be removed: \(error.description)")
            }
        }
    }

    /// Deletes the exported lines that others have; until then, `check --repair` can publish a lost segment again.
    ///
    /// Each write transaction deletes at most ``releasedBytes``, so that saves wait only briefly.
    private func releaseLines() async throws {
        for (owner, released) in try await facts().released {
            var next: UInt64 = 0
            while next <= released {
                let first = next
                let run = try await store.readAside { reader in
                    try reader.outbox.run(
                        of: owner,
                        from: first,
                        through: released,
                        bytes: CompactionPass.releasedBytes
                    )
                }
                guard let last = run?.upperBound else { break }
                try await store.writeAsync { try $0.releaseExported(of: owner, through: last) }
                try stop()
                next = last.addingSaturating(1)
            }
        }
    }

    private static let releasedBytes = 4 << 20

    /// Ignores files that claim transactions after the position, because they prove nothing; O(n) for n segments.
    private func missing(
        _ owner: UniqueID,
        after released: UInt64,
        through position: UInt64
    ) async throws -> MissingExports? {
        let records = try await store.readAside { try $0.writers.segments(writer: owner) }
        let (damaged, replaced) = sync.state.read { ($0.damagedExports, Set($0.planner.replaced(of: owner))) }
        let (missing, areThere) = try await queue.run {
            let files = logs.lacksFolder(of: owner) ? [] : try logs.fileNames(of: owner)
            let names = files.compactMap { SegmentName(writer: owner, fileName: $0) }.filter { $0.last <= position }
                .sorted()
            let lost = damaged.union(replaced)
            let whole = names.filter { !lost.contains($0) }
            return (CompactionFacts.missing(records, after: released, among: whole), lost.intersection(names))
        }
        guard let first = missing.first, let last = missing.last?.last else { return nil }
        let isKept = try await store.readAside {
            try $0.outbox.keepsLines(of: owner, first.first...max(first.first, first.last))
        }
        let isDamaged = areThere.contains(first.name)
        return MissingExports(
            count: missing.count,
            first: first.name,
            isDamaged: isDamaged,
            isReplaced: replaced.contains(first.name),
            last: last,
            isKept: isKept
        )
    }

    /// Nothing is removed for a baseline before all of its bytes are read again.
    private func decide(_ owner: UniqueID) async throws -> (CompactionFacts, RemovalRule.Decision) {
        var facts = try await facts()
        facts.owner = owner
        let position = facts.vector[owner]
        let records = try await store.readAside { try $0.writers.segments(writer: owner) }
        facts.segments = try await queue.run {
            try CompactionFacts.segments(records, of: owner, through: position, in: logs)
        }
        let wall = wall
        while true {
            let decision = RemovalRule(facts: facts).decision
            guard mode != .dryRun, !decision.isEmpty else { return (facts, decision) }
            let knownBaselines = facts.knownBaselines
            facts.knownBaselines = try await queue.run {
                try decision.covers.reduce(knownBaselines) { knownBaselines, cover in
                    try stop()
                    return try knownBaselines.proving(cover, in: logs, wall: wall)
                }
            }
            guard facts.knownBaselines != knownBaselines else { return (facts, decision) }
            // If the bytes of a baseline have another hash, nothing is removed for it.
            for cover in decision.covers {
                guard let refusal = facts.knownBaselines.refused[cover.name] else { continue }
                sync.state.update { $0.refused(cover.name, refusal, wall: wall) }
            }
        }
    }
}
