import Logging
import Synchronization
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryStore

/// Only one loop may use it.
struct Importer {
    let environment: SyncEnvironment
    let state: SyncStateOwner
    let queue: SerialQueue
    let control: ImportControl
    private let paused = PausedReaders()
    private let ahead = SerialQueue("tributary.import-ahead")
    private let pace = BatchPace()

    func apply(_ items: [ImportBatch.Item]) async throws -> ImportBatch.Result {
        guard !items.isEmpty else { return ImportBatch.Result() }
        let (configuration, planner) = state.read { ($0.configuration, $0.planner) }
        let readers = try readers(configuration)
        let batch = ImportBatch(
            readers: readers,
            items: items,
            positions: planner.positions.mapValues(\.sequence),
            abandoned: planner.abandoned,
            trust: environment.trust,
            accepted: planner.accepted,
            wall: environment.wall,
            changeLimit: pace.changeLimit(slice: configuration.sliceChanges),
            isAwaited: { [store = environment.store] in store.isAwaited }
        )
        let prefetched = try await queue.run { try batch.prefetched() }
        // From here the import may wait for the write lock, which is not a silence of the log folder.
        state.update { $0.progress.isApplying = true }
        defer { state.update { $0.progress.isApplying = false } }
        let result = try await environment.replica.importTransactions { try prefetched.apply($0) }
        pace.note(result.counts.changes, in: .now - result.began)
        return result
    }

    private static let keptBytes: UInt64 = 5 << 20

    private func readers(_ configuration: SyncConfiguration) throws -> SegmentReaders {
        SegmentReaders(
            logs: try configuration.openLogs(),
            paused: paused,
            sliceChanges: configuration.sliceChanges,
            control: control
        )
    }

    func keepReaders(of items: [ImportBatch.Item]) { paused.keep(only: Set(items.map(\.name))) }

    /// Also reads the beginnings of the next batch, unless the present batch ends within a segment.
    func readAhead(
        _ segments: [WriterListing.Pending],
        known: [ImportBatch.Item],
        behind runs: [ImportPlanner.Run]
    ) async -> [SegmentVerification.Verified] {
        let (configuration, positions) = state.read { ($0.configuration, $0.planner.positions) }
        let verification = SegmentVerification(queue: ahead, control: control, environment: environment)
        let lines = (runs.last?.segment).map { $0.changes.addingSaturating($0.transactions) } ?? 0
        let isRead = lines <= configuration.sliceChanges
        var results = await verification.verify(
            segments,
            configuration: configuration,
            positions: positions,
            keptBytes: isRead ? Importer.keptBytes : 0
        )
        let next = known + results.compactMap { $0.content.map { ImportBatch.Item(name: $0.name, segment: $0) } }
        // The readers have the content now.
        for index in results.indices { results[index].content?.batches = [] }
        if isRead, !next.isEmpty, let readers = try? readers(configuration) {
            await ahead.run {
                var readers = readers
                // The batch itself will report a segment that cannot be read.
                try? readers.prefetch(next, positions: [:])
            }
        }
        return results
    }
}

/// Sizes batches so that a save does not wait long: if changes become slower, only one batch takes too long.
///
/// A page of the store is written once for all rows of a batch: random updates of 200,000 rows take a third less time in
/// batches of 100,000 than of 20,000.
final class BatchPace: Sendable {
    static let duration = Duration.milliseconds(200)

    private let changeDuration = Mutex<Duration?>(nil)

    func changeLimit(slice: Int) -> Int {
        guard let duration = changeDuration.withLock(\.self), duration > .zero else { return slice }
        let fitting = Int(min(BatchPace.duration / duration, 1e9))
        return min(max(slice, fitting), slice.multipliedSaturating(by: ImportBatch.sliceLimit))
    }

    /// A small batch predicts nothing about larger batches, unless it took long.
    func note(_ changes: Int, in duration: Duration) {
        guard changes > 1_000 || (changes > 0 && duration > BatchPace.duration) else { return }
        changeDuration.withLock { $0 = duration / changes }
    }
}

extension Importer {
    private static let blobInterval = Duration.seconds(30)

    func join(_ baseline: KnownBaseline) async throws -> PlannedBaselines.Refusal? {
        let work = BaselineImport(baseline: baseline, logs: try state.configuration.openLogs(), control: control)
        let file = baseline.name.path
        do {
            let (verified, missing) = try await queue.run { () throws(SegmentError) in try work.verified() }
            if let first = missing.first {
                return refuse(file, "blobs are missing, such as \(first) (\(missing.count) in all)")
            }
            let now = environment.wall
            if let held = state.read({ $0.planner.refusal(ofClocksIn: verified.writers, wall: now) }) {
                warn(file, held.reason)
                return held
            }
            state.update { $0.progress.isApplying = true }
            defer { state.update { $0.progress.isApplying = false } }
            let wall = environment.wall
            let (advanced, changes, left, began) = try await environment.replica.importTransactions {
                transaction -> (([UniqueID: UInt64], Int, Restamped?, ContinuousClock.Instant), [CommittedTransaction])
                in
                let began = ContinuousClock.now
                let left = try transaction.leaveClaimedWriter(verified.writers)
                if let left, let former = verified.writers.first(where: { $0.id == left.former }) {
                    let claim = TakenNames.Claim(writer: left.former, last: former.sequence)
                    let reason = TakenNames.claimReason(left.former, after: left.published)
                    let entry = TakenNames.Entry(since: wall, path: file, claim: claim, reason: reason)
                    try TakenNames.record(transaction) { $0.add(entry) }
                }
                let before = try transaction.reader.writers.all().reduce(into: [:]) { $0[$1.id] = $1.sequence }
                guard let committed = try work.join(verified, transaction) else { return (([:], 0, left, began), []) }
                let own = try transaction.reader.writers.own().sequence
                try transaction.setSetting(StoreKeys.unacknowledged, to: "\(own) \(wall.milliseconds)")
                let advanced = verified.writers.reduce(into: [UniqueID: UInt64]()) { advanced, writer in
                    let position = before[writer.id] ?? 0
                    if writer.sequence > position { advanced[writer.id] = writer.sequence - position }
                }
                return ((advanced, committed.changeCount, left, began), [committed])
            }
            if let left {
                environment.logger.error(
                    "a baseline has later transactions of this store's writer: the store continues as a fresh writer",
                    metadata: [
                        "baseline": "\(file)", "writer": "\(left.new)", "former": "\(left.former)",
                        "transactions": "\(left.count)",
                    ]
                )
            }
            if !advanced.isEmpty {
                let transactions: UInt64 = advanced.values.reduce(0) { $0.addingSaturating($1) }
                let counts = ImportCounts(transactions: Int(clamping: transactions), changes: changes)
                state.update { $0.progress.addImported(counts, wall: wall) }
                environment.activity.imported(counts, from: advanced.mapValues { _ in nil }, in: .now - began)
            }
            environment.logger.notice(
                "joined a baseline",
                metadata: ["baseline": "\(file)", "writers": "\(advanced.count)", "changes": "\(changes)"]
            )
            return nil
        } catch let error as SegmentError {
            // A replicator may bring the whole file later.
            if error.isOfContent {
                let wall = environment.wall
                let refusal = KnownBaselines.refusal(error, former: nil, wall: wall)
                state.update { $0.refused(baseline.name, refusal, wall: wall) }
            }
            return refuse(file, error.reason)
        } catch let error as BaselineJoinError {
            warn(file, "\(error)")
            let hint = "On a machine with the version of the model of this one: tributaryctl compact"
            return PlannedBaselines.Refusal(reason: "\(error)", hint: hint)
        }
    }

    private func refuse(_ file: String, _ reason: String) -> PlannedBaselines.Refusal {
        warn(file, reason)
        return PlannedBaselines.Refusal(
            reason: reason,
            hint: "What is missing is looked for every 30 s, and now with: tributaryctl sync",
            retry: environment.wall.later(by: Importer.blobInterval)
        )
    }

    private func warn(_ file: String, _ reason: String) {
        environment.logger.warning("baseline is not joined", metadata: ["baseline": "\(file)", "reason": "\(reason)"])
    }
}

extension ImportPlanner {
    /// Assumed, because a baseline does not show how many transactions have clocks after a published clock.
    private static let baselineTransactions = 1 << 16

    /// A baseline waits if its greatest clock is too far ahead, as a segment with this clock would.
    func refusal(ofClocksIn writers: [BaselineWriter], wall: WallTime) -> PlannedBaselines.Refusal? {
        guard let writer = writers.max(by: { $0.clock < $1.clock }),
            let until = heldUntil(writer.clock, of: ImportPlanner.baselineTransactions, wall: wall)
        else { return nil }
        return .clockAhead(writer.id, by: writer.clock.wallTime.duration(since: wall), retry: until)
    }
}

extension PlannedBaselines.Refusal {
    static func clockAhead(_ writer: UniqueID, by ahead: Duration, retry: WallTime) -> PlannedBaselines.Refusal {
        let seconds = ahead.components.seconds
        return PlannedBaselines.Refusal(
            reason: "the clock of writer \(writer) in it is \(ahead.words) ahead of this machine's",
            hint:
                "If this machine's clock is wrong, set it right; else the baseline is joined when its time has come. To "
                + "join it now, set clock.max_ahead above \(seconds)s and: tributaryctl reload && tributaryctl sync",
            retry: retry,
            writer: writer
        )
    }
}
