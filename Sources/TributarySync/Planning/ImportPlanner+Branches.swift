import TransactionLog
package import TributaryChanges

extension ImportPlanner {
    /// The number of files whose place one action looks up.
    private static let examineStep = 32

    // MARK: Files

    /// Moves the segments that do not follow their writer's first line to the branches; O(w log n), and O(log n) for each
    /// segment that it moves.
    ///
    /// Of a forked writer whose first line has ended, those that may follow a branch are moved too.
    mutating func moveBranches(wall: WallTime) {
        let positions = SupposedPositions(positions, reaches: branches.reaches)
        for id in pendingWriters {
            var hasMore = true
            while hasMore { hasMore = moveToBranches(segmentsOfBranches(of: id, positions, wall: wall)) }
        }
    }

    /// The next segments of a writer that belong to branches.
    ///
    /// The result has the entries and not their writer: a copy of the writer that lived while one of them is removed would
    /// make that removal copy all entries.
    private func segmentsOfBranches(
        of id: UniqueID,
        _ positions: SupposedPositions,
        wall: WallTime
    ) -> [PlannedSegment] {
        guard let writer = writers[id] else { return [] }
        switch verdict(writer, positions: positions, wall: wall) {
        case .branch(let found): return found.compactMap { writer[$0] }
        case .blocked(.gap):
            guard let reach = branches.reaches[writer.id] else { return [] }
            let next = reach.addingSaturating(1)
            return Array(writer.slice(limit: ImportPlanner.examineStep).prefix { $0.id.first <= next })
        case .read, .ready, .blocked: return []
        }
    }

    /// Moves segments to the branches; false when there are none, or no room for more.
    private mutating func moveToBranches(_ found: [PlannedSegment]) -> Bool {
        for entry in found {
            guard branches.hasRoom(for: SegmentFile(id: entry.id)) else { return false }
            branches.insert(SegmentFile(id: entry.id), entry.file, outline: entry.valid, wall: entry.found)
            removeEntry(entry.id)
        }
        return !found.isEmpty
    }

    /// Keeps segments that the position covers although they have not been applied: their place is looked up.
    mutating func keepCovered(_ covered: [PlannedSegment], besides applied: SegmentName? = nil) {
        for entry in covered where entry.id != applied && (entry.valid != nil || entry.isUnknown) {
            branches.insert(SegmentFile(id: entry.id), entry.file, outline: entry.valid, wall: entry.found)
        }
    }

    /// Takes note of the conflict copies among the misfits of a writer; returns the other misfits.
    mutating func takeCopies(_ misfits: [WriterListing.Misfit], wall: WallTime) -> [WriterListing.Misfit] {
        misfits.filter { misfit in
            guard misfit.state == .forked else { return true }
            branches.insert(SegmentFile(id: misfit.id, fileName: misfit.fileName), misfit.file, wall: wall)
            return false
        }
    }

    /// Drops the branches' files that are not in a writer's folder any more.
    mutating func keepBranches(_ listing: WriterListing) {
        guard branches.hasFiles(of: listing.writer) else { return }
        let own = Set(listing.pending.map(\.id.bounds)).union(listing.applied)
        let others = Set(listing.misfits.map(\.fileName))
        for file in branches.names(of: listing.writer) {
            let isThere = file.hasOwnName ? own.contains(file.id.bounds) : others.contains(file.fileName)
            if !isThere { branches.remove(file) }
        }
        branches.listed(listing.writer)
        // A file with other content under a known name may follow the first line.
        for file in listing.pending where !isBranchFile(file) { branches.remove(SegmentFile(id: file.id)) }
    }

    /// Reads the branches' files among changed ones again; those that have vanished are dropped.
    mutating func readBranchesAgain(_ change: ListingChange) {
        guard branches.hasFiles(of: change.writer) else { return }
        for name in change.names {
            let file = SegmentFile(id: name)
            if change.applied.contains(name) {
                // The end line of an applied file is compared with the records, which finds another branch.
                if branches.applied[change.writer]?[file] != nil { branches.remove(file) }
                branches.learn(file, .unknown)
            } else if change.pending.first(where: { $0.id == name }).map({ !isBranchFile($0) }) ?? true {
                branches.remove(file)
            }
        }
        guard let misfits = change.misfits else { return }
        let copies = Set(misfits.map(\.fileName))
        for file in branches.names(of: change.writer) where !file.hasOwnName && !copies.contains(file.fileName) {
            branches.remove(file)
        }
    }

    /// Whether a file past the position is known to belong to no first line.
    func isBranchFile(_ pending: WriterListing.Pending) -> Bool {
        branches.identity(of: SegmentFile(id: pending.id)) == pending.file
    }

    // MARK: Examination

    /// Records what reading a branch's file has found, and the place of its segment.
    package mutating func examined(
        _ file: SegmentFile,
        identity: FileIdentity?,
        as outcome: VerificationOutcome,
        at place: BranchPlace?,
        wall: WallTime
    ) {
        switch outcome {
        case .valid(let outline):
            let knowledge = place.map { BranchFile.Knowledge.placed(outline, $0) } ?? .valid(outline)
            branches.learn(file, knowledge, identity: identity)
        case .incomplete(let reason, let line):
            branches.learn(file, .incomplete(reason: reason, line: line, since: wall), identity: identity)
        case .damaged(let reason, let line): branches.learn(file, .bad(.damaged, reason: reason, line: line))
        case .rejected(let reason, let line): branches.learn(file, .bad(.rejected, reason: reason, line: line))
        case .unreadable(let reason):
            let retry = wall.later(by: ImportPlanner.retryInterval)
            branches.learn(file, .unreadable(reason: reason, retry: retry), identity: identity)
        case .changed: branches.remove(file)
        }
    }

    /// The next action for branches: files to examine, a segment to apply, or the time until which there is none.
    ///
    /// One pass over the files, of which only forked writers have any.
    func nextBranch(wall: WallTime) -> Action {
        #if MUTATIONS
            if Mutation.isOn(.firstBranchWins) { return .wait(until: nil) }
        #endif
        guard !branches.files.isEmpty else { return .wait(until: nil) }
        let open = branches.open(wall: wall, limit: ImportPlanner.examineStep)
        if !open.isEmpty {
            return .examine(open.map { BranchExaminee(file: $0.file, identity: $0.identity, outline: $0.outline) })
        }
        let positions = SupposedPositions(positions, reaches: branches.reaches)
        var deadline: WallTime?
        for file in branches.all where file.file.id.writer != own {
            if case .unreadable(_, let retry) = file.knowledge { deadline = min(deadline ?? retry, retry) }
            guard let outline = file.outline, let target = target(of: file) else { continue }
            switch block(of: file, outline, after: target.after, positions, wall: wall) {
            case .held(let until)?: deadline = min(deadline ?? until, until)
            case nil: return .branch(BranchRun(file: file.file, segment: outline, target: target))
            default: continue
            }
        }
        return .wait(until: deadline)
    }

    /// The line to which a placed segment is applied next; nil when it is applied or waits for another one.
    private func target(of file: BranchFile) -> BranchTarget? {
        guard case .placed(let outline, let place) = file.knowledge else { return nil }
        switch place {
        case .next(let branch, let after): return BranchTarget(branch: branch, after: after, begins: false)
        case .start(let after): return BranchTarget(branch: outline.sha256, after: after, begins: true)
        case .applied, .waiting, .tooMany: return nil
        }
    }

    /// The reason why a segment that has its turn cannot be applied; nil when it can.
    private func block(
        of file: BranchFile,
        _ outline: SegmentOutline,
        after: UInt64,
        _ positions: SupposedPositions,
        wall: WallTime
    ) -> Block? {
        if let until = heldUntil(file.file.id, outline, wall: wall) { return .held(until: until) }
        guard outline.missingBlobs.isEmpty else { return .blobs(outline.missingBlobs) }
        let next = after.addingSaturating(1)
        let stop = [file.unmet, outline.unmet].compactMap(\.self)
            .first { $0.sequence == next && !unmet($0, positions).isEmpty }
        return stop.map { .dependencies($0) }
    }

    // MARK: States

    /// The state of a branch's file; nil for a segment that is applied.
    func state(of file: BranchFile, wall: WallTime) -> SegmentState? {
        switch file.knowledge {
        case .unknown, .valid: return .waiting
        case .incomplete(_, _, let since): return limits.isLate(since: since, wall: wall) ? .damaged : .incomplete
        case .unreadable: return .rejected
        case .bad(let state, _, _): return state
        case .placed(_, .applied): return nil
        case .placed(_, .tooMany): return .forked
        case .placed(let outline, _):
            if file.file.id.writer == own { return .forked }
            return heldUntil(file.file.id, outline, wall: wall) == nil ? .waiting : .held
        }
    }

    func branchStatuses(of writer: UniqueID, wall: WallTime) -> [SegmentStatus] {
        (branches.files[writer] ?? [:]).values.sorted { $0.file < $1.file }.compactMap { status(of: $0, wall: wall) }
    }

    /// The status of a branch's file; nil for a segment that is applied.
    func status(of file: BranchFile, wall: WallTime) -> SegmentStatus? {
        guard let state = state(of: file, wall: wall) else { return nil }
        var status = SegmentStatus(id: file.file.id, state: state, file: file.file.path, since: file.since)
        switch file.knowledge {
        case .unknown, .valid: status.reason = "It is to be read."
        case .incomplete(let reason, let line, _): (status.reason, status.line) = (reason, line)
        case .unreadable(let reason, _):
            status.reason = reason
            status.hint = "See to the file's permissions and to the disk; it is tried again every few seconds."
        case .bad(_, let reason, let line): (status.reason, status.line) = (reason, line)
        case .placed(let outline, let place): explain(&status, file, outline, place, wall: wall)
        }
        return status
    }

    private func explain(
        _ status: inout SegmentStatus,
        _ file: BranchFile,
        _ outline: SegmentOutline,
        _ place: BranchPlace,
        wall: WallTime
    ) {
        let id = file.file.id
        switch place {
        case .applied: return
        case .tooMany:
            status.reason =
                "Writer \(id.writer) has \(WriterLines.limit) branches already; no further one is applied."
            status.hint = ImportPlanner.forkHint(id.writer)
        case .waiting(let previous):
            status.reason =
                previous.map { "It follows a segment with the hash \($0), which is not here." }
                ?? "Transaction \(id.first - 1) of this writer is not here."
            if id.first > 1 {
                status.waitingFor = [.transactions(writer: id.writer, from: id.first - 1, through: id.first - 1)]
            }
            status.hint =
                "Another program writes as \(id.writer): see that all of its segments arrive, conflict copies included."
        case .next(_, let after), .start(let after):
            let positions = SupposedPositions(positions, reaches: branches.reaches)
            if id.writer == own {
                status.reason = "This store has not written it."
                status.hint = ImportPlanner.forkHint(id.writer)
            } else if let block = block(of: file, outline, after: after, positions, wall: wall) {
                let blocked = blocked(id, outline, block, positions, wall: wall)
                (status.reason, status.waitingFor, status.hint) = (blocked.reason, blocked.waitingFor, blocked.hint)
            } else {
                status.reason = "Its turn comes next."
            }
        }
    }

    /// Marks the states of the branches' files as announced and returns those that have changed.
    mutating func announceBranches(wall: WallTime) -> [SegmentStatus] {
        var changed: [SegmentStatus] = []
        for file in branches.all {
            guard let status = status(of: file, wall: wall), file.announced?.state != status.state else { continue }
            branches.announced(file.file, PlannedSegment.Announced(state: status.state, since: wall))
            changed.append(status)
        }
        return changed
    }

    /// The alarms about forked writers.
    func forkProblems() -> [SyncProblem] { branches.forks.map(SyncProblem.init) }
}
