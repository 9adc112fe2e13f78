import Logging
import TransactionLog
import TributaryChanges
import TributaryStore

/// One pass of the compaction: it reads what the rules decide from, and does what they decide.
struct CompactionPass: Sendable {
    let sync: SyncService
    let open: StoreCheck.Opening
    /// The queue of blocking work.
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

    /// Runs the pass.
    ///
    /// - Throws: What ``Compactor/compact(_:progress:)`` throws.
    func run() async throws -> CompactionReport {
        try await withTaskCancellationHandler {
            // A copy of a store must not publish or remove anything under the writer of its original.
            await sync.exports.checkIdentity()
            guard mode == .dryRun || sync.state.read(\.identity.isChecked) else {
                let reason = "the store's identity cannot be checked without the log folder"
                throw SegmentError(.missing, file: sync.state.configuration.logs, reason: reason)
            }
            var report = CompactionReport(isDryRun: mode == .dryRun)
            // A baseline of another writer comes first: one that is cut here may take the name that it needs.
            progress("verification", 0, nil)
            report.verification = try await verify()
            progress("baseline", 0, nil)
            do {
                report.cut = try await cut()
            } catch let error as SegmentError where error.kind == .rejected {
                // What may go because of earlier baselines goes all the same.
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
    private func facts(listsSegments: Bool = false) async throws -> CompactionFacts {
        let wall = sync.environment.wall
        let (own, shelf, keep, fork) = sync.state.read { state in
            let own = state.planner.own
            return (own, state.shelf, state.configuration.keepSegments, state.planner.firstConflict(of: own))
        }
        let (logs, model) = (try logs(), store.modelHash)
        let current = try await queue.run { try shelf.withOwn(own, in: logs) }
        let (facts, exported) = try await store.readAside { reader in
            var facts = try CompactionFacts(reader, modelHash: model, shelf: current, keep: keep, wall: wall)
            facts.forkedFrom = fork
            return (facts, listsSegments ? try reader.writers.segments(writer: own) : [])
        }
        guard listsSegments else { return facts }
        return try await queue.run {
            var facts = facts
            facts.segments = try CompactionFacts.ownSegments(exported, own: own, in: logs)
            return facts
        }
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
        let vector = facts.vector
        let (logs, progress, store) = (try logs(), progress, store)
        // What the baseline says of this store must outlast a power failure, as what segments say.
        try await queue.run { try StoreSync(path: store.configuration.path).run() }
        let cutter = BaselineCutter(logs: logs, cancellation: cancellation) { progress("baseline", $0, nil) }
        let model = facts.modelHash
        let end = try await store.readAside { reader -> BaselineEnd? in
            let now = try CompactionFacts(
                reader,
                modelHash: model,
                shelf: BaselineShelf(),
                keep: .zero,
                wall: .epoch
            )
            // The store may have gone on since; then the name or the vector would be another one.
            guard now.vector == vector, now.unsealed.isEmpty else { return nil }
            return try cutter.publish(name, reader)
        }
        guard end != nil else {
            return .waits("The store has changed meanwhile; the next attempt takes the new state.")
        }
        let bytes = FileFacts(name.path, in: logs)?.bytes ?? 0
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
        _ = try await sync.environment.replica.importTransactions { transaction in
            let empty = LocalTransaction(author: "tributaryd", contextName: "acknowledgement", changes: [])
            return ((), [try transaction.commit(empty)])
        }
        try await sync.exportNow()
    }

    /// The bytes of all segments in the log folder that are old enough and that no verified baseline covers.
    private func uncovered(_ facts: CompactionFacts) async throws -> UInt64 {
        let path = sync.state.configuration.logs
        return try await queue.run {
            let listing = try LogListing(path: path)
            var bytes: UInt64 = 0
            for (writer, names) in listing.names {
                let usable = facts.shelf.verified.filter { $0.modelHash == facts.modelHash }
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
                let end = try await build(baseline, as: name, isOwnState: isOwnState, facts)
                guard end.sha256 == baseline.sha256 else {
                    logger.error("a baseline differs", metadata: ["baseline": "\(baseline.name.path)"])
                    return .differs(baseline.name)
                }
                logger.notice("verified a baseline", metadata: ["baseline": "\(baseline.name.path)"])
                return .verified(baseline.name)
            } catch let obstacle as BaselineRebuild.Obstacle {
                return .waits(baseline.name, obstacle.description)
            } catch let error as SegmentError {
                return .waits(baseline.name, "\(error.file): \(error.reason)")
            } catch let error as StoreError {
                return .waits(baseline.name, "\(error)")
            } catch let error as BaselineJoinError {
                return .waits(baseline.name, "\(error)")
            }
        }
    }

    /// Makes this store's own baseline of the vector, from its state or from a scratch store.
    private func build(
        _ baseline: KnownBaseline,
        as name: BaselineName,
        isOwnState: Bool,
        _ facts: CompactionFacts
    ) async throws -> BaselineEnd {
        let (logs, progress, store) = (try logs(), progress, store)
        let cutter = BaselineCutter(logs: logs, cancellation: cancellation) { progress("verification", $0, nil) }
        if isOwnState {
            let (model, vector) = (facts.modelHash, facts.vector)
            let end = try await store.readAside { reader -> BaselineEnd? in
                let now = try CompactionFacts(
                    reader,
                    modelHash: model,
                    shelf: BaselineShelf(),
                    keep: .zero,
                    wall: .epoch
                )
                guard now.vector == vector, now.unsealed.isEmpty else { return nil }
                return try cutter.publish(name, reader)
            }
            if let end { return end }
        }
        let base = facts.shelf.verified.first { $0.modelHash == facts.modelHash && baseline.covers($0) }
        return try await rebuild(to: baseline.vector, from: base, as: name, cutter)
    }

    private func rebuild(
        to vector: VersionVector,
        from base: KnownBaseline?,
        as name: BaselineName,
        _ cutter: BaselineCutter
    ) async throws -> BaselineEnd {
        let scratch = try ScratchFolder(.compaction, besideStore: store.configuration.path)
        try scratch.demandRoom(forCopyOf: store.configuration.path)
        var configuration = StoreConfiguration(
            path: scratch.file("rebuilt.sqlite"),
            name: store.configuration.name,
            model: store.model
        )
        configuration.isScratch = true
        let (store, open, cancellation, progress) = (store, open, cancellation, progress)
        return try await queue.run { [configuration] in
            let rebuild = ScratchRebuild(store: try open(configuration))
            let work = BaselineRebuild(
                rebuild: rebuild,
                logs: cutter.logs,
                applied: { name in try store.read { try $0.writers.segment(writer: name.writer, first: name.first) } },
                step: { count in
                    if cancellation.isCancelled { throw CancellationError() }
                    progress("verification", Int64(count), nil)
                }
            )
            try work.run(to: vector, from: base)
            let end = try rebuild.store.read { try cutter.publish(name, $0) }
            withExtendedLifetime(scratch) {}
            return end
        }
    }

    // MARK: Removing

    private func remove(_ report: inout CompactionReport) async throws {
        let facts = try await facts(listsSegments: true)
        let decision = RemovalRule(facts: facts).decision
        report.take(decision, facts)
        report.removedSegments = decision.removed.count
        report.removedBytes = decision.removed.reduce(0) { $0.addingSaturating($1.bytes) }
        report.removedBaselines = decision.baselines
        guard mode != .dryRun else { return }
        let logs = try logs()
        if let cover = decision.cover {
            try await queue.run {
                // The bytes of the baseline must be whole now, whatever was read of it before.
                let file = try logs.open(fileName: cover.name.fileName, writer: cover.name.writer)
                let end = try VerifiedBaseline.verify(file).end
                guard end.sha256 == cover.sha256 else {
                    throw SegmentError(.changed, file: file.file, reason: "the baseline was replaced by another one")
                }
            }
        }
        let names = decision.removed.map(\.name.fileName) + decision.baselines.map(\.fileName)
        guard !names.isEmpty else { return }
        let remover = FileRemover(logs, writer: facts.own)
        _ = try await queue.run { try remover.remove(names) }
        logger.notice(
            "removed what a baseline has",
            metadata: [
                "segments": "\(decision.removed.count)", "bytes": "\(report.removedBytes)",
                "baselines": "\(decision.baselines.count)",
            ]
        )
    }
}
