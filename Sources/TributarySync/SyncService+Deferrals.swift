import Logging
import Synchronization
import TransactionLog
import Tributary
import TributaryChanges
package import TributaryStore

extension SyncService {
    /// Deferred writes that an answer about one segment names.
    private static let namedOfSegment = 100
    /// How long whoever asks waits for the lines of deferred writes, which are read from the log folder.
    private static let linePatience = Duration.seconds(5)

    private var deferralReader: DeferralReader { DeferralReader(logs: configuration.logs, model: container.model) }

    /// What was found when it was last looked at.
    package var lastDeferrals: DeferralReport? { deferralCache.last }

    /// What was imported up to the reader's state and has no effect yet, without lines.
    package func deferrals(_ reader: Reader) throws -> DeferralReport {
        try deferralCache.report(at: try reader.newestTransaction()) { try deferralReader.report(reader) }
    }

    /// The report with the lines of what it names; without them when the log folder does not answer in time.
    package func located(_ report: DeferralReport) async -> DeferralReport {
        var located = report
        located.first = await self.located(report.first, within: .seconds(1))
        deferralCache.replace(report, with: located)
        return located
    }

    /// The statuses with the lines of the deferred values that they name, as ``located(_:)`` finds them.
    package func located(_ statuses: [SegmentStatus]) async -> [SegmentStatus] {
        let values = await located(statuses.flatMap(\.deferredValues), within: SyncService.linePatience)
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
        let reader = deferralReader
        return await lineSearch.result(within: patience) { reader.located(values) } ?? values
    }

    /// The status of an applied segment, with the names of what is deferred in it.
    func applied(_ record: SegmentRecord) async throws -> SegmentStatus? {
        let (counts, values) = try container.store.read { reader in
            let (counts, writes) = try reader.deferredWrites(of: record, limit: SyncService.namedOfSegment)
            return (counts, try deferralReader.values(of: writes, reader))
        }
        return await located([SegmentStatus(applied: record, counts, values)]).first
    }

    /// The applied segments: all of them, or those with deferred values.
    func appliedSegments(all: Bool, _ reader: Reader) throws -> [SegmentStatus] {
        var statuses: [SegmentName: SegmentStatus] = [:]
        if all {
            for record in try reader.writers().flatMap({ try reader.segments(writer: $0.id) }) {
                let status = SegmentStatus(applied: record, DeferredCounts(), [])
                statuses[status.id] = status
            }
        }
        for segment in try reader.deferredSegments() {
            let first = try deferralReader.values(of: [segment.first].compactMap(\.self), reader)
            let status = SegmentStatus(applied: segment.record, segment.counts, first)
            statuses[status.id] = status
        }
        return Array(statuses.values)
    }

    /// Writes to the journal what is deferred of segments that have just been applied.
    ///
    /// Called by the import loop alone, which may wait for the log folder.
    func logDeferrals(of finished: [SegmentName]) {
        guard !finished.isEmpty else { return }
        let names = Set(finished)
        let floor = state.withLock { $0.deferralsToldThrough }
        do {
            let (found, newest) = try container.store.read { reader in
                let segments = try reader.deferredSegments(after: floor)
                let values = try segments.map { segment in
                    let first = try deferralReader.values(of: [segment.first].compactMap(\.self), reader)
                    return SegmentStatus(applied: segment.record, segment.counts, first)
                }
                return (values.filter { names.contains($0.id) }, try reader.newestTransaction())
            }
            for status in found.sorted(by: { $0.id < $1.id }) {
                guard let first = deferralReader.located(status.deferredValues).first else { continue }
                logger.warning(
                    "values of a segment are deferred",
                    metadata: [
                        "segment": "\(status.id.path)", "values": "\(status.deferred)",
                        "unknownObjects": "\(status.unknownObjects)", "first": "\(first.text)",
                    ]
                )
            }
            state.withLock { state in
                // What of a segment is applied in part is told when it is finished.
                let isUnderWay = state.planner.positions.values.contains { $0.partial != nil }
                if !isUnderWay { state.deferralsToldThrough = newest }
            }
        } catch {
            logger.warning("deferred values cannot be listed", metadata: ["reason": "\(ErrorText.text(of: error))"])
        }
    }
}

extension SegmentStatus {
    /// An applied segment; `values` are the first of those that are counted.
    init(applied record: SegmentRecord, _ counts: DeferredCounts, _ values: [DeferredValue]) {
        self.init(
            id: SegmentName(writer: record.writer, first: record.first, last: record.last),
            state: .applied,
            hint: counts.isEmpty
                ? nil
                : "Correct what the writer sends, or upgrade the model here: then the values take effect by themselves."
        )
        deferred = counts.values
        unknownObjects = counts.objects
        name(values)
    }

    /// Names the first of what is deferred.
    mutating func name(_ values: [DeferredValue]) {
        var parts: [String] = []
        if deferred > 0 { parts.append("\(deferred) \(deferred == 1 ? "value is" : "values are") deferred") }
        if unknownObjects > 0 {
            parts.append("\(unknownObjects) \(unknownObjects == 1 ? "object" : "objects") that nobody inserted")
        }
        reason = parts.joined(separator: ", ")
        if let first = values.first { reason += ". First: \(first.text)" }
        deferredValues = values
    }
}
