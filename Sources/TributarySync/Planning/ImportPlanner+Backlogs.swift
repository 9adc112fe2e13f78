import TransactionLog
package import TributaryChanges

extension ImportPlanner {
    /// The writers with segments that are not applied; one pass over these segments.
    package var backlogs: [UniqueID: WriterBacklog] {
        var found: [UniqueID: WriterBacklog] = [:]
        for id in pendingWriters {
            guard let writer = writers[id], let since = writer.order.slice().lazy.map(\.found).min() else { continue }
            found[id] = WriterBacklog(segments: writer.order.count, since: since)
        }
        return found
    }

    /// The writers with a segment that contradicts what is applied; one step for each segment that was read and not
    /// applied.
    package var forkedWriters: Set<UniqueID> { Set(writers.values.filter(\.isForked).map(\.id)) }

    /// The next waiting segment of each writer, with the time since which it waits.
    ///
    /// A segment that keeps waiting is a gap. O(w log n); creates no texts.
    package func gaps(wall: WallTime) -> [WriterGap] {
        let positions = SupposedPositions(positions)
        return pendingWriters.compactMap { id in
            guard let writer = writers[id], let (entry, _) = gap(of: writer, positions, wall: wall) else { return nil }
            return WriterGap(id: entry.id, since: entry.since)
        }
        .sorted { $0.id < $1.id }
    }

    /// The status of the segment after a writer's gap; nil when there is none; O(log n).
    package func status(ofGapOf id: UniqueID, wall: WallTime) -> SegmentStatus? {
        let positions = SupposedPositions(positions)
        guard let writer = writers[id], let (entry, sight) = gap(of: writer, positions, wall: wall) else { return nil }
        var status = status(entry, sight, positions, wall: wall)
        status.since = entry.since
        if status.waitingFor.isEmpty {
            var preceding = PrecedingSegments(position: positions[id].sequence)
            preceding.explain(&status, writer: writer)
        }
        return status
    }

    /// Whether a segment past its writer's position has vanished from the log folder.
    func hasVanished(_ name: SegmentName) -> Bool {
        writers[name.writer]?[name.bounds] == nil && position(of: name.writer).sequence < name.first
    }

    /// The writer's next segment when it waits for transactions or blobs, found without visiting the other segments.
    private func gap(
        of writer: PlannedWriter,
        _ positions: SupposedPositions,
        wall: WallTime
    ) -> (PlannedSegment, WriterSight)? {
        guard case .blocked(let block) = verdict(writer, positions: positions, wall: wall) else { return nil }
        let next = positions[writer.id].sequence.addingSaturating(1)
        let entry: PlannedSegment?
        switch block {
        case .gap:
            guard !abandoned.contains(writer.id) else { return nil }
            entry = writer.slice(limit: 1).first
        case .dependencies, .predecessor, .blobs:
            entry = writer.order.holders(of: next).lazy.compactMap { writer[$0] }.first { $0.valid != nil }
        case .unusable, .held: return nil
        }
        guard let entry else { return nil }
        let sight = WriterSight(next: next, block: block, limits: limits, accepted: accepted, wall: wall)
        return sight.state(of: entry) == .waiting ? (entry, sight) : nil
    }
}
