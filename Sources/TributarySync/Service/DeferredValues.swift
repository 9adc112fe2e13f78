import Dispatch
import Synchronization
package import TransactionLog
package import TributaryAdmin
package import TributaryChanges
import TributaryModel
package import TributaryStore

package struct DeferralReport: Hashable, Sendable {
    package var counts = DeferredCounts()
    /// At most ``DeferralFinder/named``, newest first.
    package var newest: [DeferredValue] = []
    package var since: WallTime?
    package var until: WallTime?
    /// The time of the last value that the model cannot represent, by the clock of its writer.
    package var written: WallTime?
}

package struct DeferredValue: Hashable, Sendable {
    package var write: DeferredWrite
    /// Nil when the segment has no record, such as a partly applied segment.
    package var segment: SegmentName?
    /// Nil when the file is gone, or the store does not know the change.
    package var line: Int?
    package var rule: String

    var lacksLine: Bool { line == nil && segment != nil && write.index != nil }

    /// `insert of Employee.hired = "2026-01-01" (object 0190…, line 3): the rule`.
    package var text: String {
        let property = write.property.map { "." + $0 } ?? ""
        let value =
            write.property == nil ? "" : write.value.map { " = " + ($0.count > 60 ? $0.prefix(60) + "…" : $0) } ?? ""
        let line = line.map { ", line \($0)" } ?? ""
        return "\(write.operation) of \(write.entity)\(property)\(value) (object \(write.object)\(line)): \(rule)"
    }
}

final class DeferralFinder: Sendable {
    static let named = 5
    private static let namedOfSegment = 100
    private static let linePatience = Duration.seconds(5)

    private let store: Store
    private let openLogs: @Sendable () throws(SegmentError) -> LogFolder
    private let known = Mutex<(transaction: Int64, report: DeferralReport)?>(nil)
    private let lineSearch = LineSearch()

    init(store: Store, openLogs: @escaping @Sendable () throws(SegmentError) -> LogFolder) {
        self.store = store
        self.openLogs = openLogs
    }

    // MARK: What the store knows

    var lastReport: DeferralReport? { known.withLock { $0?.report } }

    func report(_ reader: Reader) throws -> DeferralReport {
        let transaction = try reader.history.newestTransaction()
        if let known = known.withLock({ $0 }), known.transaction == transaction { return known.report }
        let overview = try reader.deferrals.overview(limit: DeferralFinder.named)
        let report = DeferralReport(
            counts: overview.counts,
            newest: try values(of: overview.newest, reader),
            since: overview.since,
            until: overview.until,
            written: overview.written
        )
        known.withLock { $0 = (transaction, report) }
        return report
    }

    func named(_ statuses: [SegmentStatus], _ reader: Reader) throws -> [SegmentStatus] {
        let records = try statuses.map { status in
            guard status.lacksDeferredNames else { return SegmentRecord?.none }
            return try reader.writers.segment(writer: status.id.writer, holding: status.id.first)
        }
        let first = try reader.deferrals.firstWrites(of: Set(records.compactMap(\.self)))
        return try zip(statuses, records).map { status, record in
            guard status.lacksDeferredNames, let write = record.flatMap({ first[$0] }) else { return status }
            var status = status
            status.name(try values(of: [write], reader))
            return status
        }
    }

    func status(ofApplied record: SegmentRecord) async throws -> SegmentStatus {
        let (counts, values) = try store.read { reader in
            let (counts, writes) = try reader.deferrals.writes(of: record, limit: DeferralFinder.namedOfSegment)
            return (counts, try self.values(of: writes, reader))
        }
        let status = SegmentStatus(applied: record, counts, values)
        return await located([status]).first ?? status
    }

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

    func deferred(in names: Set<SegmentName>, after floor: Int64) throws -> ([SegmentStatus], newest: Int64) {
        try store.read { reader in
            let statuses = try reader.deferrals.segments(after: floor).map { segment in
                SegmentStatus(applied: segment.record, segment.counts, [])
            }
            let found = try named(statuses.filter { names.contains($0.id) }, reader)
            return (found.sorted(by: SegmentStatus.precedes), try reader.history.newestTransaction())
        }
    }

    private func values(of writes: [DeferredWrite], _ reader: Reader) throws -> [DeferredValue] {
        try writes.map { write in
            let record = try reader.writers.segment(writer: write.writer, holding: write.sequence)
            return DeferredValue(write: write, segment: record?.name, line: nil, rule: rule(of: write))
        }
    }

    private func rule(of write: DeferredWrite) -> String {
        guard write.cause == .model, let entity = store.model.entity(named: write.entity) else { return write.reason }
        switch write.operation {
        case "link", "unlink": return entity.deferralReason(ofLinkTo: write.property ?? "") ?? write.reason
        default:
            guard let name = write.property, let text = write.value,
                let value = try? JSONParser.parse(Array(text.utf8))
            else { return write.reason }
            let property = PropertyWrite(name: name, value: value)
            return entity.deferralReason(of: property, isInsert: write.operation == "insert") ?? write.reason
        }
    }

    // MARK: Lines in the log folder

    func search<T: Sendable>(_ search: @escaping @Sendable () -> T) async -> T? {
        await lineSearch.result(within: DeferralFinder.linePatience, search)
    }

    /// Without lines when the log folder does not answer in time.
    func located(_ report: DeferralReport) async -> DeferralReport {
        guard report.newest.contains(where: \.lacksLine) else { return report }
        return await lineSearch.result(within: .seconds(1)) { [self] in
            var located = report
            located.newest = locatedBlocking(report.newest)
            // The report is cached even when the caller has given up: repeated requests then search a large segment
            // once.
            known.withLock { [located] in if $0?.report == report { $0?.report = located } }
            return located
        } ?? report
    }

    func located(_ statuses: [SegmentStatus]) async -> [SegmentStatus] {
        let values = statuses.flatMap(\.deferredValues)
        guard values.contains(where: \.lacksLine) else { return statuses }
        var rest = (await search { [self] in locatedBlocking(values) } ?? values)[...]
        return statuses.map { status in
            guard !status.deferredValues.isEmpty else { return status }
            var status = status
            status.name(Array(rest.prefix(status.deferredValues.count)))
            rest = rest.dropFirst(status.deferredValues.count)
            return status
        }
    }

    /// Blocks for as long as the log folder takes to answer: never call it inside a read of the store.
    func locatedBlocking(_ values: [DeferredValue]) -> [DeferredValue] {
        var values = values
        var segments: [SegmentName: Set<UInt64>] = [:]
        for value in values where value.lacksLine {
            if let name = value.segment { segments[name, default: []].insert(value.write.sequence) }
        }
        guard !segments.isEmpty, let folder = try? openLogs() else { return values }
        for (name, sequences) in segments {
            guard let file = try? folder.open(name) else { continue }
            let lines = TransactionLines.find(sequences, in: file, writer: name.writer)
            for index in values.indices where values[index].segment == name {
                let write = values[index].write
                guard let change = write.index, let line = lines[write.sequence] else { continue }
                values[index].line = line + 1 + change
            }
        }
        return values
    }
}

/// Gives up on a log folder that does not answer; a search that hangs keeps its thread.
final class LineSearch: Sendable {
    private static let most = 4

    private let queue = DispatchQueue(label: "tributary.lines", attributes: .concurrent)
    private let count = Atomic(0)

    /// Nil when the search takes longer than `patience`, or when too many searches are running.
    func result<T: Sendable>(within patience: Duration, _ search: @escaping @Sendable () -> T) async -> T? {
        guard count.add(1, ordering: .relaxed).newValue <= LineSearch.most else {
            count.subtract(1, ordering: .relaxed)
            return nil
        }
        let task = Task<T, Never> {
            defer { count.subtract(1, ordering: .relaxed) }
            return await withCheckedContinuation { continuation in
                queue.async { continuation.resume(returning: search()) }
            }
        }
        let end = ContinuousClock.now + patience
        return await HangingWork.result(of: task, lookingEvery: patience) { ContinuousClock.now >= end }
    }
}

extension DeferredMessage {
    package init(_ value: DeferredValue) {
        let write = value.write
        self.init(
            writer: write.writer.description,
            sequence: write.sequence,
            entity: write.entity,
            id: write.object.description,
            rule: value.rule,
            text: value.text
        )
        file = value.segment?.path
        line = value.line
        property = write.property
        self.value = write.value.map {
            $0.count > DeferredMessage.valueLimit ? $0.prefix(DeferredMessage.valueLimit) + "…" : $0
        }
    }

    private static let valueLimit = 200
}
