import Logging
import TransactionLog
import Tributary
import TributaryChanges
package import TributaryStore

extension SyncService {
    /// Deferred writes that an answer about one segment names.
    private static let namedOfSegment = 100
    /// Deferred writes up to which the journal names some of each segment; past it each batch is only counted.
    private static let namedInJournal = 10_000

    var deferralReader: DeferralReader { DeferralReader(logs: configuration.logs, model: container.model) }

    /// What was found when it was last looked at.
    package var lastDeferrals: DeferralReport? { deferralCache.last }

    /// What was imported and has no effect yet.
    package func deferrals() throws -> DeferralReport {
        try container.store.read { try deferrals($0) }
    }

    /// What was imported up to the reader's state and has no effect yet.
    package func deferrals(_ reader: Reader) throws -> DeferralReport {
        try deferralCache.report(at: try reader.newestTransaction()) { try deferralReader.report(reader) }
    }

    /// The status of an applied segment, with the names of what is deferred in it.
    func applied(_ record: SegmentRecord, _ reader: Reader) throws -> SegmentStatus {
        let writes = try reader.deferredWrites { writer, sequence in
            writer == record.writer && sequence >= record.first && sequence <= record.last
        }
        return SegmentStatus(
            applied: record,
            writes,
            try deferralReader.values(
                of: Array(writes.prefix(SyncService.namedOfSegment)),
                reader
            )
        )
    }

    /// The applied segments: all of them, or those with deferred values.
    func appliedSegments(all: Bool, _ reader: Reader) throws -> [SegmentStatus] {
        var writes: [SegmentName: [DeferredWrite]] = [:]
        var records: [SegmentName: SegmentRecord] = [:]
        for write in try reader.deferredWrites() {
            guard let record = try reader.segment(writer: write.writer, holding: write.sequence) else { continue }
            let name = SegmentName(writer: record.writer, first: record.first, last: record.last)
            writes[name, default: []].append(write)
            records[name] = record
        }
        if all {
            for record in try reader.writers().flatMap({ try reader.segments(writer: $0.id) }) {
                records[SegmentName(writer: record.writer, first: record.first, last: record.last)] = record
            }
        }
        return try records.map { name, record in
            let deferred = writes[name] ?? []
            return SegmentStatus(
                applied: record,
                deferred,
                try deferralReader.values(of: Array(deferred.prefix(1)), reader)
            )
        }
    }

    /// Writes to the journal what is deferred of segments that have just been applied.
    func logDeferrals(of finished: [SegmentName]) {
        guard !finished.isEmpty else { return }
        let names = Set(finished)
        do {
            let values: [DeferredValue] = try container.store.read { reader in
                let counts = try reader.deferredCounts()
                guard !counts.isEmpty, counts.values + counts.objects <= SyncService.namedInJournal else { return [] }
                let writers = Dictionary(grouping: finished, by: \.writer)
                let writes = try reader.deferredWrites { writer, sequence in
                    writers[writer]?.contains { $0.first <= sequence && sequence <= $0.last } ?? false
                }
                return try deferralReader.values(of: writes, reader)
            }
            for (name, values) in Dictionary(grouping: values, by: \.segment) {
                guard let name, names.contains(name), let first = values.first else { continue }
                logger.warning(
                    "values of a segment are deferred",
                    metadata: ["segment": "\(name.path)", "count": "\(values.count)", "first": "\(first.text)"]
                )
            }
        } catch {
            logger.warning("deferred values cannot be listed", metadata: ["reason": "\(error)"])
        }
    }
}

extension SegmentStatus {
    /// `values` are the first of `writes`.
    init(applied record: SegmentRecord, _ writes: [DeferredWrite], _ values: [DeferredValue]) {
        let unknown = Set(writes.filter { $0.cause == .unknownObject }.map(\.object)).count
        let deferred = writes.count { $0.cause == .model }
        var parts: [String] = []
        if deferred > 0 { parts.append("\(deferred) \(deferred == 1 ? "value is" : "values are") deferred") }
        if unknown > 0 { parts.append("\(unknown) \(unknown == 1 ? "object" : "objects") that nobody inserted") }
        var reason = parts.joined(separator: ", ")
        if let first = values.first { reason += ". First: \(first.text)" }
        self.init(
            id: SegmentName(writer: record.writer, first: record.first, last: record.last),
            state: .applied,
            reason: reason,
            hint: parts.isEmpty
                ? nil
                : "Correct what the writer sends, or upgrade the model here: then the values take effect by themselves."
        )
        self.deferred = deferred
        unknownObjects = unknown
        deferredValues = values
    }
}
