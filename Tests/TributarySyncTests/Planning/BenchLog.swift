import TransactionLog
import TributaryChanges
import TributaryStore

@testable import TributarySync

/// The applied segments of one writer by line, as a store keeps them.
struct BenchLog {
    private var lines: [String: [SegmentRecord]] = ["": []]

    var hashes: [String] { lines.values.joined().map(\.sha256) }

    var reach: UInt64 { lines.values.compactMap { $0.last?.last }.max() ?? 0 }

    func overlaps(_ id: SegmentName) -> Bool {
        lines.values.joined().contains { $0.first <= id.last && id.first <= $0.last }
    }

    mutating func append(_ id: SegmentName, _ segment: SegmentOutline, to branch: String) {
        let record = SegmentRecord(
            writer: id.writer,
            first: id.first,
            last: id.last,
            sha256: segment.sha256,
            branch: branch
        )
        lines[branch, default: []].append(record)
    }

    /// The place of a segment; `position` is that of the first line.
    func place(of id: SegmentName, _ outline: SegmentOutline, _ position: WriterPosition) -> BranchPlace {
        let first = WriterLines.Line(
            branch: "",
            sequence: position.sequence,
            lastHash: position.lastHash,
            whole: lines[""]?.last?.last ?? position.wholeThrough,
            partial: position.partial
        )
        let branches = lines.filter { !$0.key.isEmpty }.sorted { $0.key < $1.key }.map { branch, records in
            let last = records.last?.last ?? 0
            return WriterLines.Line(branch: branch, sequence: last, lastHash: records.last?.sha256, whole: last)
        }
        let all = lines.values.joined()
        let neighbours = WriterLines.Neighbours(
            beginning: all.filter { $0.first == id.first },
            preceding: all.filter { $0.last == id.first - 1 },
            overlaps: overlaps(id)
        )
        return WriterLines(lines: [first] + branches)
            .place(id.bounds, sha256: outline.sha256, previous: outline.previous, neighbours)
    }
}
