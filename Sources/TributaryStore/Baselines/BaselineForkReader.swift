package import TributaryChanges

/// Reads the branches of a forked writer for a baseline: a function of the set of its applied segments.
package struct BaselineForkReader {
    let reader: Reader

    /// The branches of a writer with all segments past its fork; nil when the store does not know all of these.
    ///
    /// A store knows none of the segments that it has from a baseline without a fork, and nothing of what a segment
    /// follows that a program without format version 5 of the store has applied.
    ///
    /// O(n) for the segments of the writer.
    package func fork(of writer: WriterRecord) throws -> BaselineFork? {
        guard let start = writer.branches.map(\.start).min() else { return nil }
        let main = try reader.writers.segments(writer: writer.id)
        let ofBranches = Dictionary(grouping: try reader.writers.branchSegments(writer: writer.id), by: \.branch)
        let all = main + ofBranches.values.flatMap(\.self)
        guard all.count(where: { $0.last > start }) <= LogLimits.baselineForkSegments else { return nil }
        let ends = Dictionary(grouping: all, by: \.last)
        var found: Set<BaselineFork.Segment> = []
        func append(_ records: [SegmentRecord], after first: UInt64, through last: UInt64) -> Bool {
            var position = first
            var hash: String?
            for record in records {
                let earlier = hash
                hash = record.sha256
                guard record.last > start else { continue }
                // Of the first line a segment may have sequences before and after the start of a branch.
                let isNext = position == start ? record.first <= position + 1 : record.first == position + 1
                position = record.last
                let ending = ends[record.first - 1] ?? []
                let only = ending.count == 1 ? ending.first?.sha256 : nil
                guard isNext, let previous = record.previous ?? (record.first == 1 ? "" : earlier ?? only) else {
                    return false
                }
                found.insert(
                    BaselineFork.Segment(
                        first: record.first,
                        last: record.last,
                        sha256: record.sha256,
                        previous: previous
                    )
                )
            }
            return position == last
        }
        guard append(main, after: start, through: max(start, writer.sequence)) else { return nil }
        for branch in writer.branches {
            guard append(ofBranches[branch.firstHash] ?? [], after: branch.start, through: branch.sequence) else {
                return nil
            }
        }
        return BaselineFork(start: start, segments: Array(found))
    }

    /// The position of a writer in a vector: for a forked one a hash of the hashes with which its branches end.
    package func position(of writer: WriterRecord) throws -> StoreDigest.Position {
        try BranchHeads(reader: reader).position(of: writer)
    }
}
