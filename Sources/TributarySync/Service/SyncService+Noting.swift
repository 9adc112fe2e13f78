import Logging
import Synchronization
import TransactionLog
import TributaryChanges
import TributaryStore

/// What the import loop tells the rest of the service.
extension SyncService {
    var isStopping: Bool { state.withLock(\.isStopping) }

    var positions: [UniqueID: WriterPosition] { state.withLock { $0.planner.positions } }

    /// How many wait for a whole pass over the folder.
    var requestCount: Int { state.withLock { $0.requests.count } }

    /// The oldest of those have had their pass; none is left when the service was abandoned meanwhile.
    func answerRequests(_ count: Int) {
        let requests = state.withLock { state in
            let requests = Array(state.requests.prefix(count))
            state.requests.removeFirst(requests.count)
            return requests
        }
        for request in requests { request.resume() }
    }

    func takeHints() -> FolderHints {
        state.withLock { state in
            defer { state.hints = FolderHints() }
            return state.hints
        }
    }

    func look(everywhere: Bool) {
        state.withLock { $0.hints.noteEverything() }
    }

    func look(at name: SegmentName) {
        state.withLock { $0.hints.note(file: name) }
    }

    func refreshOwnPosition() {
        guard let record = try? replica.store.read({ try $0.ownWriter() }) else { return }
        state.withLock { $0.planner.setPosition(WriterPosition(sequence: record.sequence), of: own) }
    }

    /// Takes the writers' positions from the store, after something failed that may have moved them.
    func reloadPositions() {
        let positions = try? replica.store.read { reader in
            try reader.writers().map { ($0.id, try SyncState.position(of: $0, reader)) }
        }
        state.withLock { state in
            for (writer, position) in positions ?? [] { state.planner.setPosition(position, of: writer) }
        }
    }

    func note(_ scan: FolderScan, isWhole: Bool, isLimited: Bool) {
        let wall = wall
        let before = state.withLock { Set($0.folderProblems.keys) }
        let starters = state.withLock { state in
            for listing in scan.listings { state.planner.found(listing, wall: wall) }
            for change in scan.changes { state.planner.found(change, wall: wall) }
            for writer in scan.vanished { state.planner.vanished(writer, wall: wall) }
            state.noteFolderProblems(scan.problems, isWhole: isWhole, lookedAt: scan.lookedAt, wall: wall)
            if isLimited {
                state.raise(
                    .watchLimit,
                    wall: wall,
                    detail: "The system's limit of watched folders is reached; some are looked at every 30 s instead.",
                    hint: "Raise fs.inotify.max_user_watches."
                )
            }
            state.isWatching = true
            defer { state.starters = [] }
            return state.starters
        }
        let after = state.withLock { Set($0.folderProblems.keys) }
        for problem in after.subtracting(before) {
            logger.warning(
                problem.kind == .misnamed ? "misnamed, not read" : "log folder cannot be read",
                metadata: ["folder": "\(problem.path)", "reason": "\(problem.reason)"]
            )
        }
        for problem in before.subtracting(after) {
            logger.info(
                problem.kind == .misnamed ? "misnamed no more" : "log folder can be read again",
                metadata: ["folder": "\(problem.path)"]
            )
        }
        for starter in starters { starter.resume() }
    }

    /// A file of the own writer with sequences that the store has not reached was written by somebody else.
    func noteOwnFiles(_ scan: FolderScan) {
        let listed = scan.listings.first { $0.writer == own }.map { Array($0.applied.keys) } ?? []
        let changed = scan.changes.first { $0.writer == own }.map { $0.applied.map(\.bounds) } ?? []
        let reached = state.withLock { $0.planner.position(of: own).sequence }
        guard let foreign = (listed + changed).filter({ $0.last > reached }).min() else { return }
        let name = SegmentName(writer: own, first: foreign.first, last: foreign.last)
        // An export may have moved on while the folder was listed.
        guard let now = try? replica.store.read({ try $0.ownWriter().sequence }), now < foreign.last else { return }
        note(AppliedAudit.Finding(name: name, reason: "This store has not written it."))
    }

    func note(_ finding: AppliedAudit.Finding) {
        let wall = wall
        let status = state.withLock { state in
            state.planner.contradicted(finding.name, reason: finding.reason, wall: wall)
            if finding.name.writer == own { state.raiseOwnFork(finding.name.path, finding.reason, wall: wall) }
            return state.planner.status(of: finding.name, wall: wall)
        }
        logger.error(
            "segment is forked",
            metadata: ["segment": "\(finding.name.path)", "reason": "\(finding.reason)"]
        )
        if let status { events.send([status]) }
    }

    func note(_ outcome: ImportBatch.Outcome, runs: [ImportPlanner.Run], forgotten: [SegmentName]) {
        let wall = wall
        let hashes = Dictionary(runs.map { ($0.id, $0.segment.sha256) }) { first, _ in first }
        state.withLock { state in
            let before = state.acceptedText
            for name in forgotten { _ = state.planner.retry(name) }
            for name in outcome.finished {
                guard let hash = hashes[name] else { continue }
                state.planner.finished(name, sha256: hash, wall: wall)
            }
            // After those that are finished, since they are counted from the position before.
            for (writer, sequence) in outcome.positions {
                state.planner.advanced(writer, to: sequence, partial: outcome.partials[writer]?.partial)
            }
            for (name, gate) in outcome.gates { state.planner.stopped(name, at: gate) }
            state.journaledDeferrals.insert(outcome.finished)
            state.imported = state.imported + outcome.counts
            state.problems[.importFailed] = nil
            if outcome.counts.transactions > 0 { state.lastImport = wall }
            if state.acceptedText != before { state.acceptedChanged = true }
        }
        events.send(outcome.finished.map { SegmentStatus(id: $0, state: .applied, since: wall) })
        if outcome.counts.transactions > 0 {
            logger.info("imported", metadata: outcome.counts.journalMetadata)
        }
        logDeferrals()
        if outcome.counts.changes > 0 { exportSignal.raise() }
        writeAccepted()
    }

    /// Stores which held segments are taken, when that has changed.
    func writeAccepted() {
        let text = state.withLock { state -> String?? in
            guard state.acceptedChanged else { return nil }
            state.acceptedChanged = false
            return .some(state.acceptedText)
        }
        guard let text else { return }
        do {
            try replica.store.write { try $0.setSetting(StoreKeys.accepted, to: text) }
        } catch {
            logger.error("accepted segments were not stored", metadata: ["reason": "\(error)"])
        }
    }

    func announceStates() {
        let wall = wall
        let news = state.withLock { $0.planner.announce(wall: wall) }
        for status in news where status.state != .waiting {
            logger.log(
                level: status.state == .incomplete ? .info : .warning,
                "segment is not applied",
                metadata: [
                    "segment": "\(status.file)", "state": "\(status.state.rawValue)", "reason": "\(status.reason)",
                ]
            )
        }
        logGaps(wall: wall)
        logDeferrals()
        events.send(news)
    }

    /// The wall time at which a gap will have stayed for longer than its grace.
    func nextGapDue(wall: UInt64) -> UInt64? {
        state.withLock { state in
            state.journaledGaps.nextDue(state.planner.gaps(wall: wall), grace: state.planner.limits.incompleteGrace)
        }
    }

    /// Writes to the journal which gaps have stayed for longer than their grace, and which of them are closed.
    private func logGaps(wall: UInt64) {
        let (told, closed) = state.withLock { state in
            let gaps = state.planner.gaps(wall: wall)
            let grace = state.planner.limits.incompleteGrace
            let (opened, closed) = state.journaledGaps.update(gaps, wall: wall, grace: grace)
            return (
                opened.compactMap { state.planner.status(ofGapOf: $0.id.writer, wall: wall) },
                closed.map { ($0, hasVanished: state.planner.hasVanished($0)) }
            )
        }
        for status in told {
            logger.warning(
                "transactions are missing",
                metadata: ["segment": "\(status.id.path)", "reason": "\(status.reason)"]
            )
        }
        for (name, hasVanished) in closed {
            logger.info(
                hasVanished ? "waiting segment has vanished" : "missing transactions have come",
                metadata: ["segment": "\(name.path)"]
            )
        }
    }
}

extension SyncState {
    mutating func raiseOwnFork(_ path: String, _ reason: String, wall: UInt64) {
        raise(
            .ownFork,
            wall: wall,
            detail: "\(path) is a segment of this store's own writer. \(reason) Nothing is exported any more.",
            writer: planner.own,
            hint: "Another program writes as this store, such as a copy of its machine. Stop that program."
        )
    }
}
