import Logging
import TransactionLog
import TributaryChanges
import TributaryStore

/// One pass of the compaction: it reads what the rules decide from, and does what they decide.
struct CompactionPass: Sendable {
    let sync: SyncService
    let open: StoreCheck.Opening
    let queue: SerialQueue
    let mode: Compactor.Mode
    let progress: @Sendable (_ phase: String, _ done: Int64, _ total: Int64?) -> Void
    private let cancellation = ReadCancellation()

    init(
        sync: SyncService,
        open: @escaping StoreCheck.Opening,
        queue: SerialQueue,
        mode: Compactor.Mode,
        progress: @escaping @Sendable (_ phase: String, _ done: Int64, _ total: Int64?) -> Void
    ) {
        self.sync = sync
        self.open = open
        self.queue = queue
        self.mode = mode
        self.progress = progress
    }

    private var store: Store { sync.environment.store }
    private var logger: Logger { sync.environment.logger }
    private var wall: WallTime { sync.environment.wall }

    func run() async throws -> CompactionReport {
        try await withTaskCancellationHandler {
            var report = CompactionReport(isDryRun: mode == .dryRun)
            progress("verification", 0, nil)
            if mode != .dryRun { report.withdrawn = try await withdraw() }
            // A baseline of another store comes first: one that is cut here may take the name that it needs.
            report.verification = try await verify()
            progress("baseline", 0, nil)
            do {
                report.cut = try await cut()
            } catch let error as SegmentError where error.kind == .rejected {
                // Files that earlier baselines cover are removed all the same.
                report.cut = .waits("No reader would accept it: \(error.reason).")
            }
            progress("removal", 0, nil)
            try await remove(&report)
            return report
        } onCancel: {
            cancellation.cancel()
        }
    }

    // MARK: Facts

    private func logs() throws -> LogFolder { try LogFolder(path: sync.state.configuration.logs) }

    /// Reads the facts; the shelf has what this pass itself has published.
    ///
    /// - Throws: ``SegmentError`` when the log folder cannot be read, ``StoreError``, and `CancellationError`.
    private func facts(listing owner: UniqueID? = nil) async throws -> CompactionFacts {
        let (wall, model) = (wall, store.modelHash)
        let (shelf, keep) = sync.state.read { ($0.shelf, $0.configuration.keepSegments) }
        let own = try await store.readAside { try $0.writers.own().id }
        let whose = owner ?? own
        let (logs, cancellation) = (try logs(), cancellation)
        let current = try await queue.run {
            try shelf.withOwn(own, in: logs, wall: wall).provingAll(in: logs, wall: wall) {
                if cancellation.isCancelled { throw CancellationError() }
            }
        }
        sync.state.update { $0.learned(current, modelHash: model, wall: wall) }
        let proofs = BaselineProofs(store: store, state: sync.state)
        if mode != .dryRun { try await queue.run { try proofs.save(at: wall) } }
        let (facts, records) = try await store.readAside { reader in
            var facts = try CompactionFacts(reader, modelHash: model, shelf: current, keep: keep, wall: wall)
            facts.owner = whose
            return (facts, owner == nil ? [] : try reader.writers.segments(writer: whose))
        }
        return try await queue.run {
            var facts = facts
            if owner != nil { facts.segments = try CompactionFacts.segments(records, of: whose, in: logs) }
            return facts
        }
    }

    private func maker(_ phase: String) throws -> BaselineMaker {
        let progress = progress
        let cutter = BaselineCutter(
            logs: try logs(),
            cancellation: cancellation,
            progress: { progress(phase, $0, nil) }
        )
        return BaselineMaker(store: store, open: open, queue: queue, cutter: cutter)
    }

    // MARK: Cutting

    private func cut() async throws -> CompactionReport.Cut {
        if mode == .requested { try await sync.exportNow() }
        var facts = try await facts()
        if mode == .automatic {
            let rule = CutRule(facts: facts)
            guard case .cut = rule.decision, rule.isOwnTurn else { return report(rule.decision) }
            guard rule.isWorthwhile(uncovered: try await uncovered(facts)) else {
                return .waits("There is too little that could be removed.")
            }
        }
        if CutRule(facts: facts).decision == .acknowledge, mode != .dryRun {
            try await acknowledge()
            facts = try await self.facts()
        }
        guard case .cut(let name) = CutRule(facts: facts).decision, mode != .dryRun else {
            return report(CutRule(facts: facts).decision)
        }
        let maker = try maker("baseline")
        if facts.isContradicted {
            do {
                _ = try await maker.publishLog(name, to: facts.vector, facts)
            } catch let error where CompactionPass.isObstacle(error) {
                return .waits(ErrorText.text(of: error))
            }
        } else if try await maker.publishState(name, facts) == nil {
            return .waits("The store has changed meanwhile; the next attempt takes the new state.")
        }
        let bytes = FileFacts(name.path, in: maker.cutter.logs)?.bytes ?? 0
        logger.notice("cut a baseline", metadata: ["baseline": "\(name.path)", "bytes": "\(bytes)"])
        return .cut(name, bytes: bytes)
    }

    private func report(_ decision: CutRule.Decision) -> CompactionReport.Cut {
        switch decision {
        case .cut(let name): .cut(name, bytes: 0)
        case .done(let baseline, let isVerified): .done(baseline.name, isVerified: isVerified)
        case .wait(let reason): .waits(reason)
        case .acknowledge: .waits("This store acknowledges first what it has applied since its last baseline.")
        }
    }

    /// Commits a transaction without changes, and exports it.
    private func acknowledge() async throws {
        try await sync.environment.replica.acknowledge()
        try await sync.exportNow()
    }

    /// The bytes of all segments in the log folder that are old enough and that no verified baseline covers.
    private func uncovered(_ facts: CompactionFacts) async throws -> UInt64 {
        let path = sync.state.configuration.logs
        return try await queue.run {
            let listing = try LogListing(path: path)
            let usable = facts.shelf.verified.filter { $0.modelHash == facts.modelHash }
            var bytes: UInt64 = 0
            for (writer, names) in listing.names {
                let covered = usable.map { $0.vector[writer] }.max() ?? 0
                for name in names where name.last > covered && name.last <= facts.vector[writer] {
                    guard let file = FileFacts(name.path, in: listing.logs) else { continue }
                    if file.since.later(by: facts.keep) <= facts.wall { bytes = bytes.addingSaturating(file.bytes) }
                }
            }
            return bytes
        }
    }

    // MARK: Verifying

    private func verify() async throws -> CompactionReport.Verification {
        let facts = try await facts()
        switch VerificationRule(facts: facts).decision {
        case .nothing: return .nothing
        case .wait(let baseline, let reason): return .waits(baseline.name, reason)
        case .behind(let baseline):
            sync.state.update { $0.isBehindBaseline = true }
            return .waits(baseline.name, "It has transactions that this store has not applied yet.")
        case .verify(let baseline, let name, let isOwnState):
            guard mode != .dryRun else { return .verified(baseline.name) }
            do {
                let maker = try maker("verification")
                let state = isOwnState ? try await maker.publishState(name, facts) : nil
                let end: BaselineEnd
                if let state {
                    end = state
                } else {
                    end = try await maker.publishLog(name, to: baseline.vector, facts)
                }
                guard end.sha256 == baseline.sha256 else {
                    logger.error("a baseline differs", metadata: ["baseline": "\(baseline.name.path)"])
                    return .differs(baseline.name)
                }
                logger.notice("verified a baseline", metadata: ["baseline": "\(baseline.name.path)"])
                return .verified(baseline.name)
            } catch let error where CompactionPass.isObstacle(error) {
                return .waits(baseline.name, ErrorText.text(of: error))
            }
        }
    }

    /// Whether an error is a reason for which a baseline cannot be built from the log folder now.
    private static func isObstacle(_ error: any Error) -> Bool {
        error is BaselineRebuild.Obstacle || error is SegmentError || error is StoreError || error is BaselineJoinError
    }

    /// Builds own baselines again that another writer's contradict, from the log folder, and removes those that are
    /// wrong.
    ///
    /// A wrong one keeps nobody's transactions. One that the log folder confirms stays, for the other writer to look.
    private func withdraw() async throws -> [BaselineName] {
        let facts = try await facts()
        var withdrawn: [BaselineName] = []
        for mine in facts.shelf.disputes.compactMap({ dispute in
            facts.owners.lazy.compactMap { dispute.baseline(of: $0) }.first
        })
        where !facts.shelf.isVerified(mine) && mine.modelHash == facts.modelHash && !withdrawn.contains(mine.name) {
            do {
                _ = try await maker("verification").publishLog(mine.name, to: mine.vector, facts)
            } catch let error as SegmentError where error.kind == .forked && error.file.hasSuffix(mine.name.path) {
                // The store must not trust its state once the file is gone that proves it wrong.
                let text = "\(wall.milliseconds) \(mine.name.path)"
                _ = try await store.writeInTurn { try $0.setSetting(StoreKeys.distrusted, to: text) }
                try await remove([mine.name.fileName], of: mine.name.writer)
                logger.error(
                    "removed a wrong baseline of this store",
                    metadata: ["baseline": "\(mine.name.path)", "hint": "tributaryctl check"]
                )
                withdrawn.append(mine.name)
            } catch let error where CompactionPass.isObstacle(error) {
                let reason = ErrorText.text(of: error)
                logger.warning(
                    "a disputed baseline stays",
                    metadata: ["baseline": "\(mine.name.path)", "reason": "\(reason)"]
                )
            }
        }
        return withdrawn
    }

    // MARK: Removing

    private func remove(_ report: inout CompactionReport) async throws {
        let facts = try await facts()
        let logs = try logs()
        for owner in facts.owners where owner == facts.own || !logs.lacksFolder(of: owner) {
            let (facts, decision) = try await decide(owner)
            guard mode != .dryRun, !decision.isEmpty else {
                report.add(decision, facts, planned: sync.state.read(\.planner.baselines))
                continue
            }
            do {
                let names = decision.removed.map(\.name.fileName) + decision.baselines.map(\.fileName)
                try await remove(names, of: owner)
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

    /// Decides which files of a writer go, after the baselines that have them were read as a whole once more.
    private func decide(_ owner: UniqueID) async throws -> (CompactionFacts, RemovalRule.Decision) {
        var facts = try await facts(listing: owner)
        let (logs, wall, cancellation) = (try logs(), wall, cancellation)
        while true {
            let decision = RemovalRule(facts: facts).decision
            guard mode != .dryRun, !decision.isEmpty else { return (facts, decision) }
            let shelf = facts.shelf
            let proved = try await queue.run {
                try decision.covers.reduce(shelf) { shelf, cover in
                    if cancellation.isCancelled { throw CancellationError() }
                    return shelf.proving(cover, in: logs, wall: wall)
                }
            }
            if decision.covers.allSatisfy({ proved.isVerified($0) }) { return (facts, decision) }
            // The bytes of one are not what they were: nothing goes for it any more.
            let model = facts.modelHash
            sync.state.update { $0.learned(proved, modelHash: model, wall: wall) }
            facts.shelf = proved
        }
    }

    /// Removes files of a writer that the store is or was.
    private func remove(_ names: [String], of owner: UniqueID) async throws {
        let logs = try logs()
        _ = try await queue.run { try FileRemover(logs, writer: owner).remove(names) }
    }
}
