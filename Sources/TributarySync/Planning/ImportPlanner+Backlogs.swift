package import TransactionLog
import TributaryAdmin
package import TributaryChanges

extension ImportPlanner {
    /// O(n) for the segments that are not applied.
    package var backlogs: [UniqueID: WriterBacklog] {
        var found: [UniqueID: WriterBacklog] = [:]
        for id in pendingWriters {
            guard let writer = writers[id], let since = writer.order.slice().lazy.map(\.found).min() else { continue }
            found[id] = WriterBacklog(segments: writer.order.count, since: since)
        }
        return found
    }

    /// O(n) for the segments that were read and not applied.
    package var forkedWriters: Set<UniqueID> { Set(writers.values.filter(\.isForked).map(\.id)) }

    /// The next waiting segment of each writer, which is a gap if it keeps waiting; O(w log n), without texts.
    package func gaps(wall: WallTime) -> [WriterGap] {
        let positions = SupposedPositions(known: positions)
        return pendingWriters.compactMap { id in
            guard let writer = writers[id], let (entry, _) = gap(of: writer, positions, wall: wall) else { return nil }
            return WriterGap(id: entry.id, since: entry.since)
        }
        .sorted { $0.id < $1.id }
    }

    package func status(ofGapOf id: UniqueID, wall: WallTime) -> SegmentStatus? {
        let positions = SupposedPositions(known: positions)
        guard let writer = writers[id], let (entry, view) = gap(of: writer, positions, wall: wall) else { return nil }
        var status = status(entry, view, positions)
        if status.waitingFor.isEmpty {
            var preceding = PrecedingSegments(position: positions[id].sequence)
            preceding.explain(&status, writer: writer, in: self)
        }
        return status
    }

    func hasVanished(_ name: SegmentName) -> Bool {
        writers[name.writer]?[name.bounds] == nil && position(of: name.writer).sequence < name.first
    }

    /// Does not visit the writer's other segments.
    private func gap(
        of writer: PlannedWriter,
        _ positions: SupposedPositions,
        wall: WallTime
    ) -> (PlannedSegment, WriterView)? {
        let view = view(of: writer, positions, wall: wall)
        let entry: PlannedSegment?
        switch view.block {
        case .gap:
            guard !abandoned.contains(writer.id) else { return nil }
            entry = writer.slice(limit: 1).first
        case .dependencies, .predecessor, .blobs:
            entry = writer.order.holders(of: view.next).lazy.compactMap { writer[$0] }.first { $0.valid != nil }
        case .unusable, .held, .untrusted, nil: return nil
        }
        guard let entry, view.state(of: entry) == .waiting else { return nil }
        return (entry, view)
    }
}

package struct WriterBacklog: Hashable, Sendable {
    package var segments: Int
    package var since: WallTime
}

package struct WriterGap: Hashable, Sendable {
    package var id: SegmentName
    package var since: WallTime

    func due(grace: Duration, wall: WallTime) -> WallTime { since.due(after: grace, at: wall) }
}

extension ImportPlanner {
    /// One problem for each faulty state, and one for all gaps; creates a text only for the first segment of each state.
    func problems(_ summaries: [SegmentState: Summary], wall: WallTime) -> [Problem] {
        let codes: [(SegmentState, Problem.Code)] = [
            (.damaged, .segmentsDamaged), (.forked, .segmentsForked), (.held, .segmentsHeld),
            (.rejected, .segmentsRejected),
        ]
        let found = codes.compactMap { state, code -> Problem? in
            guard let summary = summaries[state], let id = summary.first,
                let first = status(of: id, in: state, wall: wall)
            else { return nil }
            return Problem(code, first, count: summary.count, since: summary.since ?? wall)
        }
        // A segment that waits for its turn is not a problem, however long the queue is.
        return found + [gapProblem(wall: wall)].compactMap(\.self)
    }

    private func gapProblem(wall: WallTime) -> Problem? {
        let late = gaps(wall: wall).filter { wall >= $0.due(grace: limits.incompleteGrace, wall: wall) }
        guard let gap = late.first, let first = status(ofGapOf: gap.id.writer, wall: wall) else { return nil }
        let since = late.map(\.since).min() ?? wall
        return Problem(.segmentsWaiting, first, count: late.count, since: since)
    }
}
