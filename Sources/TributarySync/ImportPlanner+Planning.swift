import TransactionLog
import TributaryChanges

extension ImportPlanner {
    /// Why the next segment of a writer cannot be applied.
    enum Block: Hashable, Sendable {
        /// Nothing here holds the next sequence.
        case gap
        /// What holds the next sequence is incomplete, damaged or rejected.
        case unusable(Int)
        case fork(reason: String)
        case held(until: UInt64)
        case blobs([String])
        case gate(SegmentOutline.Gate)
    }

    enum Verdict: Hashable, Sendable {
        /// These must be read first.
        case read([Int])
        /// May be applied up to and including the sequence.
        case ready(Int, through: UInt64)
        case blocked(Block)
    }

    /// What to do now.
    package func next(wall: UInt64) -> Action {
        var plan = BatchPlan(limits: limits, positions: writers.mapValues(\.position))
        var deadline: UInt64?
        var open = writers.keys.filter { $0 != own }.sorted()
        while !open.isEmpty, !plan.isFull {
            // One segment of each writer in turn, so that none starves another.
            open = open.filter { id in
                guard !plan.isFull, let writer = writers[id] else { return false }
                switch verdict(writer, positions: plan.positions, wall: wall) {
                case .read(let indexes):
                    let entries = indexes.map { writer.entries[$0] }
                    return plan.read(entries)
                case .ready(let index, let through):
                    return plan.apply(writer.entries[index], through: through)
                case .blocked(.held(let until)):
                    deadline = min(deadline ?? until, until)
                    return false
                case .blocked: return false
                }
            }
        }
        if !plan.toRead.isEmpty { return .verify(plan.toRead) }
        if !plan.runs.isEmpty { return .apply(plan.runs) }
        let ahead = readAhead()
        if !ahead.isEmpty { return .verify(ahead) }
        return .wait(until: soonest(deadline, nextDamaged(after: wall)))
    }

    func verdict(
        _ writer: PlannedWriter,
        positions: [UniqueID: WriterPosition],
        wall: UInt64
    ) -> Verdict {
        let position = positions[writer.id] ?? WriterPosition()
        let (next, overflow) = position.sequence.addingReportingOverflow(1)
        guard !overflow, let neighbours = writer.neighbours(of: next) else { return .blocked(.gap) }
        let holders = neighbours.filter { writer.entries[$0].holds(next) }
        let rivals = neighbours.filter { index in
            holders.contains { writer.entries[$0].id.overlaps(writer.entries[index].id) }
        }
        let unread = rivals.filter { writer.entries[$0].isUnknown }
        guard unread.isEmpty else { return .read(unread) }
        let valid = rivals.filter { writer.entries[$0].valid != nil }
        guard let index = valid.first(where: holders.contains), let segment = writer.entries[index].valid else {
            return .blocked(.unusable(holders[0]))
        }
        let entry = writer.entries[index]
        if let rival = valid.first(where: { $0 != index && writer.entries[$0].id.overlaps(entry.id) }) {
            let name = writer.entries[rival].id.fileName
            return .blocked(.fork(reason: "It overlaps \(name), which has other bounds."))
        }
        if let reason = contradiction(entry.id, segment, at: position) { return .blocked(.fork(reason: reason)) }
        if let until = heldUntil(entry.id, segment, wall: wall) { return .blocked(.held(until: until)) }
        guard segment.missingBlobs.isEmpty else { return .blocked(.blobs(segment.missingBlobs)) }
        return limit(index, entry.id, gates: [writer.gate, segment.gate], positions: positions)
    }

    /// As far as the first of the gates that is still shut.
    private func limit(
        _ index: Int,
        _ id: SegmentName,
        gates: [SegmentOutline.Gate?],
        positions: [UniqueID: WriterPosition]
    ) -> Verdict {
        let next = (positions[id.writer]?.sequence ?? 0).addingSaturating(1)
        let shut = gates.compactMap(\.self)
            .filter { $0.sequence >= next && $0.sequence <= id.last && !awaited($0, positions).isEmpty }
            .min { $0.sequence < $1.sequence }
        guard let shut else { return .ready(index, through: id.last) }
        return shut.sequence == next ? .blocked(.gate(shut)) : .ready(index, through: shut.sequence - 1)
    }

    /// What of a gate's needs is not here.
    func awaited(_ gate: SegmentOutline.Gate, _ positions: [UniqueID: WriterPosition]) -> [Awaited] {
        gate.needs.sorted { $0.key < $1.key }.compactMap { writer, sequence in
            let have = positions[writer]?.sequence ?? 0
            guard have < sequence, !abandoned.contains(writer) else { return nil }
            return .transactions(writer: writer, from: have + 1, through: sequence)
        }
    }

    /// Why a segment cannot follow what has been applied.
    private func contradiction(_ id: SegmentName, _ segment: SegmentOutline, at position: WriterPosition) -> String? {
        guard id.first <= position.sequence else {
            guard let previous = segment.previous, let known = position.lastHash, previous != known else { return nil }
            return "It follows a segment with hash \(previous), but the one applied before it has \(known)."
        }
        guard let partial = position.partial, partial.bounds == SegmentBounds(first: id.first, last: id.last) else {
            return "It begins at or before transaction \(position.sequence), which came with other bounds."
        }
        guard partial.sha256 != segment.sha256 else { return nil }
        return "Its first transactions were applied from other content with hash \(partial.sha256)."
    }

    func heldUntil(_ id: SegmentName, _ segment: SegmentOutline, wall: UInt64) -> UInt64? {
        guard segment.lastClock.milliseconds > wall.addingSaturating(limits.maxAhead), accepted[id] != segment.sha256
        else {
            return nil
        }
        return segment.lastClock.milliseconds - limits.maxAhead
    }

    /// Segments whose turn has not come, so that what is wrong with them is known early.
    private func readAhead() -> [WriterListing.Pending] {
        var found: [WriterListing.Pending] = []
        for writer in writers.values where writer.id != own {
            let window = writer.entries.prefix(limits.readAhead)
            for entry in window.dropFirst(writer.firstUnknown) where entry.isUnknown {
                found.append(WriterListing.Pending(id: entry.id, file: entry.file))
                guard found.count < ImportPlanner.readAheadStep else { return found }
            }
        }
        return found
    }

    /// Small, so that something that may be applied does not wait long.
    private static let readAheadStep = 32

    private func nextDamaged(after wall: UInt64) -> UInt64? {
        var deadline: UInt64?
        for writer in writers.values {
            for entry in writer.entries {
                guard case .incomplete(_, _, let since) = entry.knowledge else { continue }
                let end = since.addingSaturating(limits.incompleteGrace)
                if end > wall { deadline = soonest(deadline, end) }
            }
        }
        return deadline
    }

    private func soonest(_ left: UInt64?, _ right: UInt64?) -> UInt64? {
        guard let left, let right else { return left ?? right }
        return min(left, right)
    }
}
