import Logging
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryStore

/// One pass of the compaction: it reads what the rules decide from, and does what they decide.
struct CompactionPass: Sendable {
    let sync: SyncService
    let open: StoreCheck.Opening
    let queue: SerialQueue
    let mode: Compactor.Mode
    let progress: StoreCheck.Progress
    private let cancellation = ReadCancellation()

    private var store: Store { sync.environment.store }
    private var logger: Logger { sync.environment.logger }
    private var wall: WallTime { sync.environment.wall }

    func run() async throws -> CompactionReport {
        try await withTaskCancellationHandler {
            var report = CompactionReport(dryRun: mode == .dryRun)
            progress("verification", 0, nil)
            report.verification = try await compare()
            progress("baseline", 0, nil)
            do {
                report.baseline = try await cut()
            } catch let error as SegmentError where error.kind == .rejected {
                // Files that earlier baselines cover are removed all the same.
                report.baseline = .waits("No reader would accept it: \(error.reason).")
            }
            // A store that is alone compares what it has made.
            if report.baseline.result == "cut", mode != .dryRun, report.verification == .nothing {
                report.verification = try await compare()
            }
            progress("removal", 0, nil)
            try await remove(&report)
            return report
        } onCancel: {
            cancellation.cancel()
        }
    }

    private func logs() throws -> LogFolder { try LogFolder(path: sync.state.configuration.logs) }

    /// The baselines include what this pass itself has published.
    private func facts(listing owner: UniqueID? = nil) async throws -> CompactionFacts {
        let (wall, model) = (wall, store.modelHash)
        let (knownBaselines, keep) = sync.state.read { ($0.knownBaselines, $0.configuration.keepSegments) }
        let own = try await store.readAside { try $0.writers.own().id }
        let whose = owner ?? own
        let logs = try logs()
        let current = try await queue.run { try knownBaselines.withOwn(own, in: logs, wall: wall) }
        let (facts, records) = try await store.readAside { reader in
            var facts = try CompactionFacts(reader, modelHash: model, knownBaselines: current, keep: keep, wall: wall)
            facts.owner = whose
            return (facts, owner == nil ? [] : try reader.writers.segments(writer: whose))
        }
        return try await queue.run {
            var facts = facts
            if owner != nil {
                let position = facts.vector[whose]
                facts.segments = try CompactionFacts.segments(records, of: whose, through: position, in: logs)
            }
            return facts
        }
    }

    private func source(_ phase: String) throws -> BaselineSource {
        let progress = progress
        let cutter = BaselineCutter(
            logs: try logs(),
            cancellation: cancellation,
            progress: { progress(phase, $0, nil) }
        )
        return BaselineSource(store: store, open: open, queue: queue, cutter: cutter)
    }

    private func cut(attempt: Int = 1) async throws -> CompactionReport.Step {
        if mode == .requested { try await sync.exportNow() }
        var facts = try await facts()
        if mode == .automatic {
            // What is not exported yet is exported when there is a reason to cut.
            facts.hasUnexported = false
            let rule = CutRule(facts: facts)
            guard case .cut = rule.decision, rule.isOwnTurn else { return .init(rule.decision) }
            guard rule.isWorthwhile(uncovered: try await uncovered(facts)) else {
                return .waits("There is too little that could be removed.")
            }
            try await sync.exportNow()
            facts = try await self.facts()
        }
        if CutRule(facts: facts).decision == .acknowledge, mode != .dryRun {
            try await sync.environment.replica.acknowledge()
            try await sync.exportNow()
            facts = try await self.facts()
        }
        let decision = CutRule(facts: facts).decision
        guard case .cut(let name) = decision, mode != .dryRun else { return .init(decision) }
        let source = try source("baseline")
        let cutter = source.cutter
        let publish = { @Sendable reader in try cutter.publish(name, reader) }
        if facts.isContradicted {
            do {
                _ = try await source.log(to: facts.vector, facts, publish)
            } catch let error where CompactionPass.isObstacle(error) {
                return .waits(ErrorText.text(of: error))
            }
        } else if try await source.state(facts, publish) == nil {
            guard attempt < 3 else {
                return .waits("The store has changed meanwhile; the next attempt takes the new state.")
            }
            return try await cut(attempt: attempt + 1)
        }
        let bytes = FileAttributes(name.path, in: cutter.logs)?.bytes ?? 0
        logger.notice("cut a baseline", metadata: ["baseline": "\(name.path)", "bytes": "\(bytes)"])
        return .init(decision)
    }

    /// Counts only segments that are old enough and that no verified baseline covers, in bytes.
    private func uncovered(_ facts: CompactionFacts) async throws -> UInt64 {
        let path = sync.state.configuration.logs
        return try await queue.run {
            let listing = try LogListing(path: path)
            let (vector, covered) = (facts.vector, facts.knownBaselines.covered)
            var bytes: UInt64 = 0
            for (writer, names) in listing.names {
                for name in names where name.last > covered[writer] && name.last <= vector[writer] {
                    guard let file = FileAttributes(name.path, in: listing.logs) else { continue }
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
            case .compare(let baseline, let fromLog):
                guard mode != .dryRun else { return .verified(baseline.name) }
                do {
                    if let found = try await compare(baseline, fromLog: fromLog, rule.facts) { return found }
                    // The store has gone on meanwhile: its state is not at the vector any more.
                    rule.facts = try await facts()
                } catch let error where CompactionPass.isObstacle(error) {
                    obstacle = obstacle ?? .waits(ErrorText.text(of: error), for: baseline.name)
                    rule.obstructed.insert(baseline.name)
                }
            }
        }
    }

    /// Nil when the store has gone on since the facts were read.
    private func compare(
        _ baseline: KnownBaseline,
        fromLog: Bool,
        _ facts: CompactionFacts
    ) async throws -> CompactionReport.Step? {
        let (name, source, wall) = (baseline.name, try source("verification"), wall)
        let cutter = source.cutter
        do {
            _ = try await queue.run { try KnownBaselines.demandWhole(baseline, in: cutter.logs) }
        } catch let error as SegmentError where error.isOfContent {
            let refusal = KnownBaselines.refusal(error, former: nil, wall: wall)
            sync.state.update { $0.refused(name, refusal, wall: wall) }
            throw error
        }
        guard let found = try await comparison(of: baseline, fromLog: fromLog, facts, source) else { return nil }
        if let difference = found.difference {
            logger.error("a baseline differs", metadata: ["baseline": "\(name.path)", "difference": "\(difference)"])
            if facts.owners.contains(name.writer) {
                // The log folder contradicts the state of this store, which proves nothing from now on.
                let text = "\(wall.milliseconds) \(name.path)"
                _ = try await store.writeAsync { try $0.setSetting(StoreKeys.distrusted, to: text) }
            }
        }
        try await queue.run { try cutter.publish(found) }
        guard found.difference == nil else { return .differs(name) }
        logger.notice("endorsed a baseline", metadata: ["baseline": "\(name.path)"])
        return .verified(name)
    }

    private func comparison(
        of baseline: KnownBaseline,
        fromLog: Bool,
        _ facts: CompactionFacts,
        _ source: BaselineSource
    ) async throws -> BaselineComparison? {
        let cutter = source.cutter
        let compare = { @Sendable reader in try cutter.compare(baseline, reader, as: facts.own) }
        guard fromLog else { return try await source.state(facts, compare) }
        do {
            return try await source.log(to: baseline.vector, facts, compare)
        } catch let obstacle as ScratchRebuild.Obstacle
            where obstacle.isLack && ComparisonRule(facts: facts).isLastResort(baseline)
        {
            logger.warning(
                "a baseline is compared with the store alone",
                metadata: ["baseline": "\(baseline.name.path)", "reason": "\(obstacle)"]
            )
            return try await source.state(facts, compare)
        }
    }

    private static func isObstacle(_ error: any Error) -> Bool {
        error is ScratchRebuild.Obstacle || error is ScratchRebuild.UnusableBase || error is SegmentError
            || error is StoreError || error is BaselineJoinError
    }

    private func remove(_ report: inout CompactionReport) async throws {
        let facts = try await facts()
        let logs = try logs()
        for owner in facts.owners where owner == facts.own || !logs.lacksFolder(of: owner) {
            let (facts, decision) = try await decide(owner, logs)
            guard mode != .dryRun, !decision.isEmpty else {
                report.add(decision, facts, planned: sync.state.read(\.planner.baselines))
                continue
            }
            do {
                _ = try await queue.run { try logs.remove(decision.fileNames, of: owner) }
                report.add(decision, facts, planned: sync.state.read(\.planner.baselines))
                logger.notice(
                    "removed what a baseline has",
                    metadata: [
                        "writer": "\(owner)", "segments": "\(decision.removed.count)",
                        "baselines": "\(decision.baselines.count)",
                    ]
                )
            } catch let error as SegmentError where owner != facts.own {
                report.add(failed: decision, facts, because: "it cannot be removed: \(error.description)")
            }
        }
    }

    /// Nothing is removed for a baseline before all of its bytes were read once more.
    private func decide(_ owner: UniqueID, _ logs: LogFolder) async throws -> (CompactionFacts, RemovalRule.Decision) {
        var facts = try await facts(listing: owner)
        let (wall, cancellation) = (wall, cancellation)
        while true {
            let decision = RemovalRule(facts: facts).decision
            guard mode != .dryRun, !decision.isEmpty else { return (facts, decision) }
            let knownBaselines = facts.knownBaselines
            facts.knownBaselines = try await queue.run {
                try decision.covers.reduce(knownBaselines) { knownBaselines, cover in
                    if cancellation.isCancelled { throw CancellationError() }
                    return try knownBaselines.proving(cover, in: logs, wall: wall)
                }
            }
            guard facts.knownBaselines != knownBaselines else { return (facts, decision) }
            // The bytes of one have another hash: nothing goes for it.
            for cover in decision.covers {
                guard let refusal = facts.knownBaselines.refused[cover.name] else { continue }
                sync.state.update { $0.refused(cover.name, refusal, wall: wall) }
            }
        }
    }

}
