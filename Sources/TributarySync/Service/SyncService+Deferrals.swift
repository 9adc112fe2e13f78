import Logging
import Synchronization
import TransactionLog
import TributaryChanges
package import TributaryStore

extension SyncService {
    /// Deferred writes that an answer about one segment names.
    private static let namedOfSegment = 100
    /// How long whoever asks waits for the lines of deferred writes, which are read from the log folder.
    private static let linePatience = Duration.seconds(5)

    private var deferralReader: DeferralReader { DeferralReader(logs: configuration.logs, model: replica.store.model) }

    /// What was found when it was last looked at.
    package var lastDeferrals: DeferralReport? { deferralCache.last }

    /// What was imported up to the reader's state and has no effect yet, without lines.
    package func deferrals(_ reader: Reader) throws -> DeferralReport {
        try deferralCache.report(at: try reader.newestTransaction()) { try deferralReader.report(reader) }
    }

    /// The report with the lines of what it names; without them when the log folder does not answer in time.
    package func located(_ report: DeferralReport) async -> DeferralReport {
        guard report.first.contains(where: \.lacksLine) else { return report }
        let (reader, cache) = (deferralReader, deferralCache)
        return await lineSearch.result(within: .seconds(1)) {
            var located = report
            located.first = reader.located(report.first)
            // Also when nobody waits any more: a large segment is then searched once, however often somebody asks.
            cache.replace(report, with: located)
            return located
        } ?? report
    }

    /// The statuses with the first deferred value of each by name, and with its line, as ``located(_:)`` finds it.
    ///
    /// - Throws: what reading throws.
    package func located(_ statuses: [SegmentStatus], reading: StatusReading? = nil) async throws -> [SegmentStatus] {
        var statuses = statuses
        if statuses.contains(where: \.lacksDeferredNames) {
            let unnamed = statuses
            statuses = try await read(reading) { [self] in try addingDeferredNames(to: unnamed, $0) }
        }
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
        let (counts, values) = try replica.store.read { reader in
            let (counts, writes) = try reader.deferredWrites(of: record, limit: SyncService.namedOfSegment)
            return (counts, try deferralReader.values(of: writes, reader))
        }
        return try await located([SegmentStatus(applied: record, counts, values)]).first
    }

    /// The statuses, in which each that has deferred values names the first of them.
    private func addingDeferredNames(to statuses: [SegmentStatus], _ reader: Reader) throws -> [SegmentStatus] {
        var records: [SegmentName: SegmentRecord] = [:]
        for status in statuses where status.lacksDeferredNames {
            records[status.id] = try reader.segment(writer: status.id.writer, first: status.id.first)
        }
        let first = try reader.firstDeferredWrites(of: Set(records.values))
        return try statuses.map { status in
            guard status.lacksDeferredNames, let write = records[status.id].flatMap({ first[$0] }) else {
                return status
            }
            var status = status
            status.name(try deferralReader.values(of: [write], reader))
            return status
        }
    }

    /// The applied segments: all of them, or those with deferred values, which are counted and not named.
    func appliedSegments(all: Bool, _ reader: Reader) throws -> [SegmentStatus] {
        var statuses: [SegmentName: SegmentStatus] = [:]
        if all {
            for record in try reader.writers().flatMap({ try reader.segments(writer: $0.id) }) {
                let status = SegmentStatus(applied: record, DeferredCounts(), [])
                statuses[status.id] = status
            }
        }
        for segment in try reader.deferredSegments() {
            let status = SegmentStatus(applied: segment.record, segment.counts, [])
            statuses[status.id] = status
        }
        return Array(statuses.values)
    }

    /// Writes to the journal what is deferred of segments that have been applied, when that is due.
    ///
    /// Called by the import loop alone, which may wait for the log folder.
    func logDeferrals() {
        let start = clock.now()
        let (due, names, floor) = state.withLock { state in
            (state.journaledDeferrals.due, state.journaledDeferrals.names, state.journaledDeferrals.journaledThrough)
        }
        guard let due, due <= start else { return }
        do {
            let (found, newest) = try replica.store.read { reader in
                let statuses = try reader.deferredSegments(after: floor).map { segment in
                    SegmentStatus(applied: segment.record, segment.counts, [])
                }
                let named = try addingDeferredNames(to: statuses.filter { names.contains($0.id) }, reader)
                return (named, try reader.newestTransaction())
            }
            for status in found.sorted(by: { $0.id < $1.id }) { log(deferralsOf: status) }
            state.withLock { state in
                let isUnderWay = state.planner.positions.values.contains { $0.partial != nil }
                state.journaledDeferrals.finish(names, newest: isUnderWay ? nil : newest)
            }
        } catch {
            logger.warning("deferred values cannot be listed", metadata: ["reason": "\(ErrorText.text(of: error))"])
        }
        let end = clock.now()
        state.withLock { $0.journaledDeferrals.rest(afterLookFrom: start, to: end) }
    }

    private func log(deferralsOf status: SegmentStatus) {
        guard let first = deferralReader.located(status.deferredValues).first else { return }
        logger.warning(
            "values of a segment are deferred",
            metadata: [
                "segment": "\(status.id.path)", "values": "\(status.deferred)",
                "unknownObjects": "\(status.unknownObjects)", "first": "\(first.text)",
            ]
        )
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

    /// Whether it counts deferred values and names none of them.
    var lacksDeferredNames: Bool { state == .applied && deferred + unknownObjects > 0 && deferredValues.isEmpty }

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
