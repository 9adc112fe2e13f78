import TransactionLog
package import TributaryChanges

extension ImportPlanner {
    /// Writers with segments that are not applied; one pass over those.
    package var backlogs: [UniqueID: WriterBacklog] {
        var found: [UniqueID: WriterBacklog] = [:]
        for id in pendingWriters {
            guard let writer = writers[id], let since = writer.entries.values.lazy.map(\.found).min() else { continue }
            found[id] = WriterBacklog(segments: writer.entries.count, since: since)
        }
        return found
    }

    /// The next segment of each writer that waits for something, and since when: a gap, when it stays.
    ///
    /// O(w log n); makes no texts.
    package func gaps(wall: UInt64) -> [WriterGap] {
        let positions = SupposedPositions(positions)
        return pendingWriters.compactMap { id in
            guard let writer = writers[id], let (entry, _) = gap(of: writer, positions, wall: wall) else { return nil }
            return WriterGap(id: entry.id, since: entry.since)
        }
        .sorted { $0.id < $1.id }
    }

    /// The status of the segment behind a writer's gap, nil when it has none; O(log n).
    package func status(ofGapOf id: UniqueID, wall: UInt64) -> SegmentStatus? {
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

    /// Whether a segment past its writer's position is not in the log folder any more.
    func hasVanished(_ name: SegmentName) -> Bool {
        writers[name.writer]?.entries[name.bounds] == nil && position(of: name.writer).sequence < name.first
    }

    /// The segment with which a writer would go on and that waits for transactions or blobs, found without going
    /// through the others.
    private func gap(
        of writer: PlannedWriter,
        _ positions: SupposedPositions,
        wall: UInt64
    ) -> (PlannedSegment, WriterSight)? {
        guard case .blocked(let block) = verdict(writer, positions: positions, wall: wall) else { return nil }
        let next = positions[writer.id].sequence.addingSaturating(1)
        let entry: PlannedSegment?
        switch block {
        case .gap: entry = writer.order.slice(limit: 1).first.flatMap { writer.entries[$0] }
        case .dependencies, .blobs:
            entry = writer.order.holders(of: next).lazy.compactMap { writer.entries[$0] }.first { $0.valid != nil }
        case .unusable, .fork, .held: return nil
        }
        guard let entry else { return nil }
        let bounds = entry.id.bounds
        let rival = writer.order.overlapping(bounds).first { $0 != bounds && writer.entries[$0]?.valid != nil }
        let sight = WriterSight(
            rivals: rival.map { [bounds: $0] } ?? [:],
            next: next,
            block: block,
            limits: limits,
            accepted: accepted,
            wall: wall
        )
        return sight.state(of: entry) == .waiting ? (entry, sight) : nil
    }
}
