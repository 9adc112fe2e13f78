import Dispatch
import Synchronization
import TransactionLog
import TributaryChanges
import TributaryStore

/// Finds deferred writes in the store and in the files of the log folder.
final class DeferralFinder: Sendable {
    private static let namedOfSegment = 100
    /// The time for which a caller waits for the lines of deferred writes, which are read from the log folder.
    private static let linePatience = Duration.seconds(5)

    private let store: Store
    private let reader: DeferralReader
    private let cache = DeferralCache()
    private let lineSearch = LineSearch()

    init(store: Store, logs: String) {
        self.store = store
        reader = DeferralReader(logs: logs, model: store.model)
    }

    /// The result of a search in the log folder; nil when the folder does not answer in time.
    func search<T: Sendable>(_ search: @escaping @Sendable () -> T) async -> T? {
        await lineSearch.result(within: DeferralFinder.linePatience, search)
    }

    var lastReport: DeferralReport? { cache.last }

    /// A report of the writes that are deferred in the reader's state, without lines.
    func report(_ reader: Reader) throws -> DeferralReport {
        try cache.report(at: try reader.history.newestTransaction()) { try self.reader.report(reader) }
    }

    /// The report with the lines of its writes; without lines when the log folder does not answer in time.
    func located(_ report: DeferralReport) async -> DeferralReport {
        guard report.newest.contains(where: \.lacksLine) else { return report }
        let (reader, cache) = (reader, cache)
        return await lineSearch.result(within: .seconds(1)) {
            var located = report
            located.newest = reader.located(report.newest)
            // The report is cached even when the caller has given up: repeated requests then search a large segment
            // once.
            cache.replace(report, with: located)
            return located
        } ?? report
    }

    /// The statuses with the line of the first deferred value of each, when the log folder answers in time.
    func located(_ statuses: [SegmentStatus]) async -> [SegmentStatus] {
        let values = await located(statuses.flatMap(\.deferredValues), within: DeferralFinder.linePatience)
        var rest = values[...]
        return statuses.map { status in
            guard !status.deferredValues.isEmpty else { return status }
            var status = status
            status.name(Array(rest.prefix(status.deferredValues.count)))
            rest = rest.dropFirst(status.deferredValues.count)
            return status
        }
    }

    private func located(_ values: [DeferredValue], within patience: Duration) async -> [DeferredValue] {
        guard values.contains(where: \.lacksLine) else { return values }
        let reader = reader
        return await lineSearch.result(within: patience) { reader.located(values) } ?? values
    }

    /// The status with the line of its first deferred value, however long the log folder takes to answer.
    func locatedBlocking(_ status: SegmentStatus) -> DeferredValue? { reader.located(status.deferredValues).first }

    func named(_ statuses: [SegmentStatus], _ reader: Reader) throws -> [SegmentStatus] {
        let records = try statuses.map { status in
            guard status.lacksDeferredNames else { return SegmentRecord?.none }
            return try reader.writers.segment(writer: status.id.writer, holding: status.id.first)
        }
        let first = try reader.deferrals.firstWrites(of: Set(records.compactMap(\.self)))
        return try zip(statuses, records).map { status, record in
            guard status.lacksDeferredNames, let write = record.flatMap({ first[$0] }) else { return status }
            var status = status
            status.name(try self.reader.values(of: [write], reader))
            return status
        }
    }

    /// The status of an applied segment, with the names of its deferred values.
    func status(ofApplied record: SegmentRecord) async throws -> SegmentStatus {
        let (counts, values) = try store.read { reader in
            let (counts, writes) = try reader.deferrals.writes(of: record, limit: DeferralFinder.namedOfSegment)
            return (counts, try self.reader.values(of: writes, reader))
        }
        let status = SegmentStatus(applied: record, counts, values)
        return await located([status]).first ?? status
    }

    /// The applied segments: all of them, or those with deferred values, which are counted and not named.
    func appliedSegments(all: Bool, _ reader: Reader) throws -> [SegmentStatus] {
        var statuses: [SegmentRecord: SegmentStatus] = [:]
        if all {
            for writer in try reader.writers.all() {
                for record in try reader.writers.segments(writer: writer.id) {
                    statuses[record] = SegmentStatus(applied: record, DeferredCounts(), [])
                }
            }
        }
        for segment in try reader.deferrals.segments() {
            statuses[segment.record] = SegmentStatus(applied: segment.record, segment.counts, [])
        }
        return Array(statuses.values)
    }

    /// The statuses of the segments that have deferred values, each with the first of them by name.
    func deferred(in names: Set<SegmentName>, after floor: Int64) throws -> ([SegmentStatus], newest: Int64) {
        try store.read { reader in
            let statuses = try reader.deferrals.segments(after: floor).map { segment in
                SegmentStatus(applied: segment.record, segment.counts, [])
            }
            let found = try named(statuses.filter { names.contains($0.id) }, reader)
            return (found.sorted(by: SegmentStatus.precedes), try reader.history.newestTransaction())
        }
    }
}

/// The last report of deferred writes; it is valid until the store has another transaction.
final class DeferralCache: Sendable {
    private let known = Mutex<(transaction: Int64, report: DeferralReport)?>(nil)

    var last: DeferralReport? { known.withLock { $0?.report } }

    func report(at transaction: Int64, make: () throws -> DeferralReport) rethrows -> DeferralReport {
        if let known = known.withLock({ $0 }), known.transaction == transaction { return known.report }
        let report = try make()
        known.withLock { $0 = (transaction, report) }
        return report
    }

    func replace(_ former: DeferralReport, with report: DeferralReport) {
        known.withLock { if $0?.report == former { $0?.report = report } }
    }
}

/// Searches the log folder for requested lines, and gives up on a folder that does not answer.
///
/// A search that hangs keeps its thread; when too many searches hang, values are shown without their lines.
final class LineSearch: Sendable {
    private static let most = 4

    private let queue = DispatchQueue(label: "tributary.lines", attributes: .concurrent)
    private let count = Atomic(0)

    /// Returns the result of `search`; nil when it takes longer than `patience`, or when too many searches are running.
    func result<T: Sendable>(within patience: Duration, _ search: @escaping @Sendable () -> T) async -> T? {
        guard count.add(1, ordering: .relaxed).newValue <= LineSearch.most else {
            count.subtract(1, ordering: .relaxed)
            return nil
        }
        let (results, continuation) = AsyncStream<T>.makeStream(bufferingPolicy: .bufferingOldest(1))
        queue.async { [self] in
            continuation.yield(search())
            continuation.finish()
            count.subtract(1, ordering: .relaxed)
        }
        // The task is not structured: a task group would wait for a search that hangs.
        let limit = Task {
            try await Task.sleep(for: patience)
            continuation.finish()
        }
        defer { limit.cancel() }
        for await result in results { return result }
        return nil
    }
}
