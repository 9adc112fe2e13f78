package import TransactionLog
package import TributaryChanges

extension ImportPlanner {
    package struct Summary: Hashable, Sendable {
        package var count = 0
        /// A held segment without an obstacle before it comes first, because accepting another would change nothing yet.
        package var first: SegmentName?
        package var since: WallTime?
        private var isFirstNext = false

        mutating func add(_ id: SegmentName, since: WallTime?, isNext: Bool = false) {
            count += 1
            let isFirst = first.map { (isNext ? 0 : 1, id) < (isFirstNext ? 0 : 1, $0) } ?? true
            if isFirst { (first, isFirstNext) = (id, isNext) }
            if let since { self.since = min(self.since ?? since, since) }
        }
    }

    package func counts(wall: WallTime) -> [SegmentState: Int] {
        ImportPlanner.counts(summaries(wall: wall))
    }

    static func counts(_ summaries: [SegmentState: Summary]) -> [SegmentState: Int] {
        summaries.mapValues(\.count).filter { $0.value != 0 }
    }

    /// O(n) for the segments that are not applied; creates no texts.
    package func summaries(wall: WallTime) -> [SegmentState: Summary] {
        var found: [SegmentState: Summary] = [:]
        let positions = SupposedPositions(known: positions)
        for writer in writers.values {
            found[.applied, default: Summary()].count +=
                writer.appliedCount - writer.conflicts.keys.count(where: \.hasOwnName)
            for unusableFile in writer.unusableFiles {
                found[unusableFile.state, default: Summary()].add(
                    unusableFile.id,
                    since: writer.unusableFileTimes[unusableFile.fileName]
                )
            }
            for (file, conflict) in writer.conflicts {
                found[.forked, default: Summary()].add(file.id, since: conflict.since)
            }
            guard writer.order.count > 0 else { continue }
            let view = view(of: writer, positions, wall: wall)
            for entry in writer.slice() {
                let state = view.state(of: entry)
                let isNext = state == .held && isNext(entry, of: writer, positions)
                found[state, default: Summary()].add(entry.id, since: entry.since, isNext: isNext)
            }
        }
        return found
    }

    /// O(w log n), and one step for each unread segment.
    package func queueLength(wall: WallTime) -> Int {
        let positions = SupposedPositions(known: positions)
        return pendingWriters.reduce(0) { count, id in
            guard let writer = writers[id] else { return count }
            var isReady = false
            if case .ready = verdict(writer, positions: positions, wall: wall) { isReady = true }
            return count + writer.unreadCount(window: limits.readAhead) + (isReady ? 1 : 0)
        }
    }

    /// Without applied segments that have no remarks; O(n log n) for each writer, and a text for each segment.
    package func statuses(wall: WallTime) -> [SegmentStatus] {
        writers.values.sorted { $0.id < $1.id }.flatMap { statuses($0, wall: wall) }
    }

    /// Nil when it is unknown, or applied without remarks; `state` chooses among files of the same name; O(n).
    package func status(of id: SegmentName, in state: SegmentState? = nil, wall: WallTime) -> SegmentStatus? {
        guard let writer = writers[id.writer] else { return nil }
        let unusableFiles = writer.unusableFiles.filter { $0.id == id && state ?? $0.state == $0.state }
        if let unusableFile = unusableFiles.min(by: { $0.fileName < $1.fileName }) {
            return status(of: unusableFile, writer: writer)
        }
        if state ?? .forked == .forked, let file = writer.conflicts(of: id).first, let conflict = writer.conflicts[file]
        {
            return status(of: file, conflict)
        }
        guard writer[id.bounds] != nil else { return nil }
        return entryStatuses(of: id.writer, wall: wall, through: id.bounds).last
    }

    /// Returns the states that have changed since the last call; one step for each segment that is read ahead.
    package mutating func announce(wall: WallTime) -> [SegmentStatus] {
        var changes = drainNewUnusableFiles().flatMap { id, unusableFiles in
            writers[id].map { writer in unusableFiles.map { status(of: $0, writer: writer) } } ?? []
        }
        for writer in pendingWriters {
            let changed = changedStates(of: writer, wall: wall)
            guard let last = changed.last else { continue }
            for (id, state) in changed {
                writers[id.writer]?.announce(id.bounds, PlannedSegment.Announced(state: state, since: wall))
            }
            let ids = Set(changed.map(\.0))
            changes += entryStatuses(of: writer, wall: wall, through: last.0.bounds).filter { ids.contains($0.id) }
        }
        return changes.sorted { $0.id < $1.id }
    }

    private func changedStates(of id: UniqueID, wall: WallTime) -> [(SegmentName, SegmentState)] {
        guard let writer = writers[id] else { return [] }
        let view = view(of: writer, SupposedPositions(known: positions), wall: wall)
        return writer.slice(limit: limits.readAhead).compactMap { entry in
            let state = view.state(of: entry)
            return entry.announced?.state == state ? nil : (entry.id, state)
        }
    }

    func view(of writer: PlannedWriter, _ positions: SupposedPositions, wall: WallTime) -> WriterView {
        var block: Block?
        if case .blocked(let found) = verdict(writer, positions: positions, wall: wall) { block = found.first?.block }
        let next = positions[writer.id].sequence.addingSaturating(1)
        return WriterView(next: next, block: block, planner: self, wall: wall)
    }

    private func statuses(_ writer: PlannedWriter, wall: WallTime) -> [SegmentStatus] {
        var result = writer.unusableFiles.map { status(of: $0, writer: writer) }
        result += writer.conflicts.map { status(of: $0, $1) }
        result += entryStatuses(of: writer.id, wall: wall)
        return result.sorted { $0.id < $1.id }
    }

    /// The names of a writer's applied segments that now belong to a folder, a link or a pipe.
    func replaced(of id: UniqueID) -> [SegmentName] {
        writers[id]?.unusableFiles.filter(isReplaced).map(\.id) ?? []
    }

    private func isReplaced(_ unusableFile: WriterListing.UnusableFile) -> Bool {
        let id = unusableFile.id
        return unusableFile.state == .rejected && unusableFile.fileName == id.fileName && id.isPossible
            && id.last <= position(of: id.writer).sequence
    }

    private func status(of unusableFile: WriterListing.UnusableFile, writer: PlannedWriter) -> SegmentStatus {
        // The hint removes it; the repair publishes the segment again if the store still has its lines.
        let isOwn = writer.id == own && isReplaced(unusableFile)
        return SegmentStatus(
            id: unusableFile.id,
            state: unusableFile.state,
            reason: unusableFile.reason,
            file: "\(writer.id)/\(unusableFile.fileName)",
            since: writer.unusableFileTimes[unusableFile.fileName],
            hint: unusableFile.hint + (isOwn ? " && tributaryctl check --repair" : "")
        )
    }

    private func status(of file: SegmentFile, _ conflict: PlannedWriter.Conflict) -> SegmentStatus {
        SegmentStatus(
            id: file.id,
            state: .forked,
            reason: conflict.reason,
            file: file.path,
            since: conflict.since,
            hint: ImportPlanner.forkHint(file.id.writer)
        )
    }

    private func entryStatuses(of id: UniqueID, wall: WallTime, through last: SegmentBounds? = nil) -> [SegmentStatus] {
        guard let writer = writers[id] else { return [] }
        let positions = SupposedPositions(known: positions)
        let window = last.flatMap(writer.order.index(of:)).map { $0 + 1 } ?? .max
        let view = view(of: writer, positions, wall: wall)
        var preceding = PrecedingSegments(position: positions[writer.id].sequence)
        var result: [SegmentStatus] = []
        for entry in writer.slice(limit: window) {
            var status = status(entry, view, positions)
            if status.state == .waiting, status.waitingFor.isEmpty {
                preceding.explain(&status, writer: writer, in: self)
            }
            preceding.pass(status, holdsNext: status.state == .waiting && !status.waitingFor.isEmpty)
            result.append(status)
        }
        return result
    }

    func status(_ entry: PlannedSegment, _ view: WriterView, _ positions: SupposedPositions) -> SegmentStatus {
        var status = SegmentStatus(id: entry.id, state: view.state(of: entry), since: entry.since)
        switch entry.knowledge {
        case .unknown: break
        case .incomplete(let reason, let line, let since):
            (status.reason, status.line) = (reason, line)
            if status.state == .damaged {
                status.reason += " It has not grown for \(view.wall.duration(since: since).words)."
                status.hint = badHint(entry.id, .damaged)
            } else {
                status.hint = "It is looked at again when the file changes."
            }
        case .unreadable(let reason, _):
            status.reason = reason
            status.hint = "Check the file's permissions and the disk; the daemon tries again every few seconds."
        case .bad(let state, let reason, let line):
            (status.reason, status.line, status.hint) = (reason, line, badHint(entry.id, state))
        case .valid(let segment):
            if let block = view.block(of: entry) { explain(&status, segment, block, positions, wall: view.wall) }
        }
        return status
    }

    private func explain(
        _ status: inout SegmentStatus,
        _ segment: SegmentSummary,
        _ block: Block,
        _ positions: SupposedPositions,
        wall: WallTime
    ) {
        let id = status.id
        status.isAhead = heldUntil(segment.lastClock, of: segment.transactions, wall: wall) != nil
        switch block {
        case .held:
            let ahead = segment.lastClock.wallTime.duration(since: wall).words
            status.reason = "The clock of writer \(id.writer) is \(ahead) ahead of this machine's."
            status.hint =
                "Set the clocks right. To apply it now (its writes then win until clocks have passed its time): "
                + "tributaryctl segment accept \(id.path)"
        case .untrusted(let reason):
            status.reason = reason
            let accept = "tributaryctl segment accept \(id.path)"
            status.hint =
                if segment.untrusted?.isRevoked == true {
                    baselines.remedy(forMissing: id.first, of: id.writer) ?? ImportPlanner.revokedHint(id)
                } else if let untrusted = segment.untrusted, untrusted.isOwn {
                    "Find out who writes into the log folder as this store, and remove the file. "
                        + (untrusted.key.map { key in
                            "If \(untrusted.condition): tributaryctl writer trust \(id.writer) --key \(key); "
                        } ?? "")
                        + "to take this file alone: \(accept)"
                } else if segment.untrusted?.key == nil {
                    "If you know who writes it, sign it there: tributaryctl segment sign --key FILE \(id.path).tlog; "
                        + "to take this file alone: \(accept)"
                } else {
                    "If you know its machine, to see its key, there: tributaryctl writer key; if it is the same key: "
                        + "tributaryctl writer trust \(id.writer); for this file alone: \(accept)"
                }
        case .blobs(let names):
            let reason =
                names.count == 1
                ? "A blob that it names is not in \(id.writer)/blobs, or is not whole."
                : "\(names.count) blobs that it names are not in \(id.writer)/blobs, or are not whole."
            status.reason = [reason, segment.blobFault?.text].compactMap(\.self).joined(separator: " ")
            status.waitingFor = names.map { .blob(writer: id.writer, sha256: $0) }
            status.hint = segment.blobFault?.hint(for: id.path)
        case .dependencies(let unmet):
            let missing = self.unmet(unmet, positions)
            let rest = missing.count > 10 ? " and \(missing.count - 10) more" : ""
            status.reason =
                "Transaction \(unmet.sequence) was made after transactions that are not applied here: "
                + missing.prefix(10).map(\.description).joined(separator: ", ") + "\(rest)."
            status.waitingFor = missing
            if case .transactions(let writer, let from, _)? = missing.first {
                status.hint =
                    heldHint(forMissing: from, of: writer)
                    ?? "Check that the segments of these writers arrive. \(remedy(forMissing: from, of: writer))"
            }
        case .predecessor(let after):
            let from = positions[after.writer].sequence.addingSaturating(1)
            status.reason =
                "The writer continues \(after.writer). The transactions of that writer up to \(after.sequence) are not applied here."
            status.waitingFor = [.transactions(writer: after.writer, from: from, through: after.sequence)]
            status.hint =
                heldHint(forMissing: from, of: after.writer) ?? baselines.remedy(forMissing: from, of: after.writer)
                ?? "Check that the segments of \(after.writer) arrive. If another machine has applied them, there: "
                + "tributaryctl compact"
        case .gap, .unusable: break
        }
    }

    /// Transactions may be abandoned only when no baseline has them.
    func remedy(forMissing sequence: UInt64, of writer: UniqueID) -> String {
        let again = "the machine that wrote them: tributaryctl check --repair"
        guard let baseline = baselines.remedy(forMissing: sequence, of: writer) else {
            return "On \(again); if another machine has applied them, there: tributaryctl compact; "
                + "if they are lost permanently: tributaryctl writer abandon \(writer)"
        }
        return "\(baseline); or on \(again)"
    }

    /// Nil unless an unapplied segment of the log folder has the transaction.
    private func heldHint(forMissing sequence: UInt64, of writer: UniqueID) -> String? {
        guard let planned = writers[writer], let holder = planned.order.holders(of: sequence).first else { return nil }
        let path = planned.name(holder).path
        return "\(path) has them, and is not applied yet. To see why: tributaryctl segment explain \(path)"
    }

    /// Without the file, this store differs from a store that has applied it.
    static func revokedHint(_ id: SegmentName) -> String {
        "Remove the file, unless another machine has applied it: this store differs from that machine until it takes the "
            + "file too, with: tributaryctl segment accept \(id.path)"
    }

    static func forkHint(_ writer: UniqueID) -> String {
        "Two machines have written as \(writer). This store keeps the transactions that it applied first. Rebuild the other machine."
    }

    private func badHint(_ id: SegmentName, _ state: SegmentState) -> String {
        if state == .forked { return ImportPlanner.forkHint(id.writer) }
        if state == .held { return SegmentError.keyHint }
        let remedy =
            state == .damaged ? "let the replicator bring the file again" : "have the writer write the file again"
        let hint =
            "Look at the status of the writer's machine. If it reports name-taken with the command to remove this file, remove the "
            + "file there. Remove it there also if the machine was not set back, reports this file too, and has written no "
            + "transaction \(id.first) (tributaryctl writer list). Otherwise \(remedy), then: tributaryctl segment retry \(id.path)"
        guard state == .damaged else { return hint }
        let other =
            baselines.remedy(forMissing: id.first, of: id.writer)
            ?? "on a machine that has applied it: tributaryctl compact"
        return "\(hint); if no whole copy is left: \(other)"
    }
}

struct WriterView {
    let next: UInt64
    let block: ImportPlanner.Block?
    let planner: ImportPlanner
    let wall: WallTime

    /// Nil when the segment only waits for its turn.
    func block(of entry: PlannedSegment) -> ImportPlanner.Block? {
        guard let segment = entry.valid else { return nil }
        if let reason = planner.untrusted(entry.id, segment) { return .untrusted(reason) }
        if let block, entry.id.bounds.holds(next) { return block }
        return planner.heldUntil(entry.id, segment, wall: wall).map { .held(until: $0) }
    }

    func state(of entry: PlannedSegment) -> SegmentState {
        switch entry.knowledge {
        case .unknown: return .waiting
        case .incomplete(_, _, let since):
            return planner.limits.isLate(since: since, wall: wall) ? .damaged : .incomplete
        case .unreadable: return .rejected
        case .bad(let state, _, _): return state
        case .valid:
            switch block(of: entry) {
            case .held, .untrusted: return .held
            default: return .waiting
            }
        }
    }
}

/// Explains why a segment must wait; visits the segments of a writer in order, each at constant cost.
struct PrecedingSegments {
    private let position: UInt64
    /// The last sequence that is in the folder or applied.
    private var reach: UInt64
    private var missing: [(from: UInt64, through: UInt64)] = []
    private var stuck: [SegmentStatus] = []

    init(position: UInt64) {
        self.position = position
        reach = position
    }

    private static let listed = 8

    /// O(b) for b baselines.
    mutating func explain(_ status: inout SegmentStatus, writer: PlannedWriter, in planner: ImportPlanner) {
        addGap(before: status.id)
        status.waitingFor += missing.map { .transactions(writer: status.id.writer, from: $0.from, through: $0.through) }
        status.waitingFor += stuck.map {
            .transactions(writer: $0.id.writer, from: $0.id.first, through: $0.id.last)
        }
        if let first = missing.first {
            let unusableFile = writer.unusableFiles.first { $0.id.first <= first.through && first.from <= $0.id.last }
            status.reason = "Transactions \(first.from) to \(first.through) of this writer are not here."
            if let unusableFile { status.reason += " \(unusableFile.fileName) is \(unusableFile.state.rawValue)." }
            let remedy = planner.remedy(forMissing: first.from, of: status.id.writer)
            status.hint = "Check that the writer's segments arrive. \(remedy)"
        } else if let first = stuck.first {
            status.reason = "It comes after \(first.id.fileName), which is \(first.state.rawValue)."
            status.hint = first.hint
        } else {
            status.reason = "Its turn comes next."
        }
    }

    mutating func pass(_ status: SegmentStatus, holdsNext: Bool) {
        addGap(before: status.id)
        reach = max(reach, status.id.last)
        let stops = status.state != .waiting || (holdsNext && status.id.first <= position &+ 1)
        if stops, stuck.count < PrecedingSegments.listed { stuck.append(status) }
    }

    private mutating func addGap(before id: SegmentName) {
        guard id.first > reach, id.first - reach > 1 else { return }
        if missing.count < PrecedingSegments.listed { missing.append((reach + 1, id.first - 1)) }
        reach = id.first - 1
    }
}
