package import TransactionLog
import TributaryChanges

extension ImportPlanner {
    /// How many segments are in each state.
    package func counts(wall: UInt64) -> [SegmentState: Int] {
        var counts: [SegmentState: Int] = [:]
        for writer in writers.values {
            counts[.applied, default: 0] += writer.appliedCount - writer.conflicts.count
            counts[.forked, default: 0] += writer.conflicts.count
            for misfit in writer.misfits { counts[misfit.state, default: 0] += 1 }
            for index in writer.entries.indices { counts[state(writer, index, wall: wall), default: 0] += 1 }
        }
        return counts.filter { $0.value != 0 }
    }

    /// Segments that are next in line for reading or applying.
    package func queueLength(wall: UInt64) -> Int {
        writers.values.reduce(0) { count, writer in
            count + writer.entries.prefix(limits.readAhead).count { $0.isUnknown }
                + (isReady(writer, wall: wall) ? 1 : 0)
        }
    }

    private func isReady(_ writer: PlannedWriter, wall: UInt64) -> Bool {
        guard writer.id != own, case .ready = verdict(writer, positions: positions, wall: wall) else { return false }
        return true
    }

    /// Every segment that is not simply applied, in order.
    package func statuses(wall: UInt64) -> [SegmentStatus] {
        writers.values.sorted { $0.id < $1.id }.flatMap { statuses($0, wall: wall) }
    }

    /// What there is to say of one segment; nil when it is unknown or simply applied.
    package func status(of id: SegmentName, wall: UInt64) -> SegmentStatus? {
        writers[id.writer].flatMap { statuses($0, wall: wall).first { $0.id == id } }
    }

    /// Remembers every state as announced and answers those that have changed.
    package mutating func announce(wall: UInt64) -> [SegmentStatus] {
        var news: [SegmentStatus] = []
        for id in writers.keys {
            guard var writer = writers[id] else { continue }
            let changed = writer.entries.indices.prefix(limits.readAhead).filter { index in
                let state = state(writer, index, wall: wall)
                guard writer.entries[index].announced?.state != state else { return false }
                writer.announce(at: index, PlannedSegment.Announced(state: state, since: wall))
                return true
            }
            guard !changed.isEmpty else { continue }
            writers[id] = writer
            let changedIDs = Set(changed.map { writer.entries[$0].id })
            news += statuses(writer, wall: wall).filter { changedIDs.contains($0.id) }
        }
        return news.sorted { $0.id < $1.id }
    }

    private func statuses(_ writer: PlannedWriter, wall: UInt64) -> [SegmentStatus] {
        var result = writer.misfits.map {
            SegmentStatus(
                id: $0.id,
                state: $0.state,
                reason: $0.reason,
                file: "\(writer.id)/\($0.fileName)",
                hint: $0.hint
            )
        }
        result += writer.conflicts.map { id, conflict in
            SegmentStatus(
                id: id,
                state: .forked,
                reason: conflict.reason,
                since: conflict.since,
                hint: ImportPlanner.forkHint(writer.id)
            )
        }
        var obstacles = Obstacles(position: writer.position.sequence)
        for (index, entry) in writer.entries.enumerated() {
            var status = status(writer, index, wall: wall)
            status.since = entry.announced.map(\.since) ?? entry.found
            if status.state == .waiting, status.waitingFor.isEmpty { obstacles.explain(&status, writer: writer) }
            obstacles.pass(status, holdsNext: status.state == .waiting && !status.waitingFor.isEmpty)
            result.append(status)
        }
        return result.sorted { $0.id < $1.id }
    }

    private func state(_ writer: PlannedWriter, _ index: Int, wall: UInt64) -> SegmentState {
        status(writer, index, wall: wall).state
    }

    /// The state of an entry, without what lies before it in the sequence.
    private func status(_ writer: PlannedWriter, _ index: Int, wall: UInt64) -> SegmentStatus {
        let entry = writer.entries[index]
        switch entry.knowledge {
        case .unknown: return SegmentStatus(id: entry.id, state: .waiting)
        case .incomplete(let reason, let line, let since):
            return incomplete(entry.id, reason: reason, line: line, since: since, wall: wall)
        case .bad(let state, let reason, let line):
            return SegmentStatus(
                id: entry.id,
                state: state,
                reason: reason,
                line: line,
                hint: ImportPlanner.badHint(entry.id, state)
            )
        case .valid(let segment):
            if let rival = rival(writer, index) {
                return forked(entry.id, "It overlaps \(rival.fileName), which has other bounds.")
            }
            if entry.holds(writer.position.sequence &+ 1),
                case .blocked(let block) = verdict(writer, positions: positions, wall: wall)
            {
                return blocked(entry.id, segment, block, wall: wall)
            }
            guard let until = heldUntil(entry.id, segment, wall: wall) else {
                return SegmentStatus(id: entry.id, state: .waiting)
            }
            return blocked(entry.id, segment, .held(until: until), wall: wall)
        }
    }

    private func rival(_ writer: PlannedWriter, _ index: Int) -> SegmentName? {
        writer.clusters[index]?.first {
            $0 != index && writer.entries[$0].valid != nil && writer.entries[$0].id.overlaps(writer.entries[index].id)
        }.map { writer.entries[$0].id }
    }

    private func blocked(_ id: SegmentName, _ segment: SegmentOutline, _ block: Block, wall: UInt64) -> SegmentStatus {
        switch block {
        case .fork(let reason): return forked(id, reason)
        case .held:
            let ahead = segment.lastClock.milliseconds.subtractingSaturating(wall) / 1000
            return SegmentStatus(
                id: id,
                state: .held,
                reason: "The clock of writer \(id.writer) is \(ahead) s ahead of this machine's.",
                hint: "Set the clocks right; tributaryctl segment accept \(id.path) takes it as it is."
            )
        case .blobs(let names):
            return SegmentStatus(
                id: id,
                state: .waiting,
                reason: "\(names.count) blobs that it names are not in \(id.writer)/blobs, or are not whole.",
                waitingFor: names.map { .blob(writer: id.writer, sha256: $0) }
            )
        case .gate(let gate):
            let awaited = awaited(gate, positions)
            return SegmentStatus(
                id: id,
                state: .waiting,
                reason: "Transaction \(gate.sequence) was made after transactions that are not here: "
                    + awaited.map(\.description).joined(separator: ", ") + ".",
                waitingFor: awaited,
                hint: "See that the writers' segments arrive."
            )
        case .gap, .unusable: return SegmentStatus(id: id, state: .waiting)
        }
    }

    private func forked(_ id: SegmentName, _ reason: String) -> SegmentStatus {
        SegmentStatus(id: id, state: .forked, reason: reason, hint: ImportPlanner.forkHint(id.writer))
    }

    private func incomplete(
        _ id: SegmentName,
        reason: String,
        line: Int?,
        since: UInt64,
        wall: UInt64
    ) -> SegmentStatus {
        let isLate = wall >= since.addingSaturating(limits.incompleteGrace)
        return SegmentStatus(
            id: id,
            state: isLate ? .damaged : .incomplete,
            reason: isLate ? "\(reason) It has not grown for \(wall.subtractingSaturating(since) / 1000) s." : reason,
            line: line,
            hint: isLate ? ImportPlanner.badHint(id, .damaged) : "It is looked at again when the file changes."
        )
    }

    private static func forkHint(_ writer: UniqueID) -> String {
        "Two programs write as \(writer): find the copy and give it a writer of its own."
    }

    private static func badHint(_ id: SegmentName, _ state: SegmentState) -> String {
        state == .damaged
            ? "Let the replicator bring the file again, then tributaryctl segment retry \(id.path)."
            : "Have the writer write it anew, then tributaryctl segment retry \(id.path)."
    }
}
