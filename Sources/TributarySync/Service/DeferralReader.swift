import TransactionLog
import TributaryChanges
import TributaryModel
import TributaryStore

/// Names deferred writes in the store, with their segments, rules, and lines in the log folder's files.
struct DeferralReader {
    let logs: String
    let model: Model

    static let named = 5

    /// Creates a report without lines, which ``located(_:)`` finds.
    func report(_ reader: Reader) throws -> DeferralReport {
        let overview = try reader.deferrals.overview(limit: DeferralReader.named)
        return DeferralReport(
            counts: overview.counts,
            newest: try values(of: overview.newest, reader),
            since: overview.since,
            until: overview.until
        )
    }

    func values(of writes: [DeferredWrite], _ reader: Reader) throws -> [DeferredValue] {
        try writes.map { write in
            let record = try reader.writers.segment(writer: write.writer, holding: write.sequence)
            let name = record.map { SegmentName(writer: $0.writer, first: $0.first, last: $0.last) }
            return DeferredValue(write: write, segment: name, line: nil, rule: rule(of: write))
        }
    }

    /// The values with their lines, where their files exist.
    ///
    /// The function opens and reads files of the log folder, which may hang: never call it inside a read of the store.
    func located(_ values: [DeferredValue]) -> [DeferredValue] {
        var values = values
        var segments: [SegmentName: Set<UInt64>] = [:]
        for value in values where value.lacksLine {
            if let name = value.segment { segments[name, default: []].insert(value.write.sequence) }
        }
        guard !segments.isEmpty, let folder = try? LogFolder(path: logs) else { return values }
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

    private func rule(of write: DeferredWrite) -> String {
        guard write.cause == .model else { return write.reason }
        guard let entity = model.entity(named: write.entity) else { return write.reason }
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
}
