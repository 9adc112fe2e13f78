import TransactionLog
import TributaryChanges
import TributaryModel
import TributaryStore

/// Finds what is deferred in the store, and where it stands in the log folder.
struct DeferralReader {
    /// The log folder's path.
    let logs: String
    let model: Model

    /// Writes that a report names.
    static let named = 5

    func report(_ reader: Reader) throws -> DeferralReport {
        var report = DeferralReport()
        report.counts = try reader.deferredCounts()
        guard !report.counts.isEmpty else { return report }
        let writes = try reader.deferredWrites()
        report.since = writes.map(\.since).min()
        report.newest = writes.map(\.since).max()
        let newestFirst = writes.sorted { $0.since > $1.since }
        report.first = try values(of: Array(newestFirst.prefix(DeferralReader.named)), reader)
        return report
    }

    /// The writes with their segments and lines.
    func values(of writes: [DeferredWrite], _ reader: Reader) throws -> [DeferredValue] {
        var segments: [SegmentName: Set<UInt64>] = [:]
        var values: [DeferredValue] = []
        for write in writes {
            let record = try reader.segment(writer: write.writer, holding: write.sequence)
            let name = record.map { SegmentName(writer: $0.writer, first: $0.first, last: $0.last) }
            if let name, write.index != nil { segments[name, default: []].insert(write.sequence) }
            values.append(DeferredValue(write: write, segment: name, line: nil, rule: rule(of: write)))
        }
        guard let folder = try? LogFolder(path: logs) else { return values }
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
