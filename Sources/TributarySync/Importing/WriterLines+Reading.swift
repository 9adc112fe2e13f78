import TransactionLog
import TributaryChanges
import TributaryStore

extension WriterLines {
    init(of writer: UniqueID, _ reader: Reader) throws {
        let joined = try JoinedPosition(of: writer, reader)
        let record = try reader.writers.record(of: writer)
        let last = try reader.writers.segment(writer: writer, beginningBy: record?.sequence ?? 0)?.last ?? 0
        let first = Line(
            branch: "",
            sequence: record?.sequence ?? 0,
            lastHash: record?.lastSegmentHash,
            whole: max(last, joined.sequence),
            partial: try SyncRecords.partial(of: writer, reader)?.partial
        )
        let branches = try (record?.branches ?? []).map { branch in
            let partial = try SyncRecords.partial(of: writer, branch: branch.firstHash, reader)
            return Line(
                branch: branch.firstHash,
                sequence: branch.sequence,
                lastHash: branch.lastHash,
                whole: partial.map { $0.name.first - 1 } ?? branch.sequence,
                partial: partial?.partial
            )
        }
        self.init(lines: [first] + branches, joined: joined)
        lines[0].partial = lines[0].partial.flatMap { $0.bounds.last > lines[0].sequence ? $0 : nil }
    }
}

extension WriterLines.Neighbours {
    /// Reads the applied segments next to a segment; O(log n) for each line of the writer.
    init(of id: SegmentName, _ reader: Reader) throws {
        let writers = reader.writers
        let last = try writers.segment(writer: id.writer, beginningBy: id.last)
        self.init(
            beginning: try writers.segments(writer: id.writer, beginningWith: id.first),
            preceding: id.first > 1 ? try writers.segments(writer: id.writer, endingWith: id.first - 1) : [],
            overlaps: last.map { $0.last >= id.first } ?? false
        )
    }
}
