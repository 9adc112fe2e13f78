import TransactionLog
import TributaryChanges

extension SyncState {
    /// Records the file of a branch that was examined.
    ///
    /// A segment of the store's own writer that it has not written proves that another program writes as it.
    mutating func examined(_ finding: BranchStage.Finding, wall: WallTime) {
        planner.examined(finding.file, identity: finding.identity, as: finding.outcome, at: finding.place, wall: wall)
        scanForMoreBranches()
        guard finding.file.id.writer == planner.own, let place = finding.place, place != .applied else { return }
        let reason = "The replicator found it beside the segment that this store has written."
        forked(OwnFork(file: finding.file.path, reason: reason), wall: wall)
    }

    /// Applies the result of a committed batch of a branch.
    mutating func applied(
        _ outcome: ImportBatch.Outcome,
        _ run: BranchRun,
        positions: [UniqueID: WriterPosition],
        forks: SyncForks,
        wall: WallTime
    ) {
        planner.branches.stopped(run.file, by: outcome.unmet[run.file.id])
        setPositions(positions)
        setForks(forks)
        // A branch moves without the position of its writer.
        planner.branches.moved(run.file.id.writer)
        progress.addImported(outcome.counts, wall: wall)
        problems.end(.importFailed)
    }

    /// Has the folders looked at again whose files of branches did not all have room.
    private mutating func scanForMoreBranches() {
        var hints = FolderHints()
        for writer in planner.branches.drainCrowded() { hints.insert(folder: writer) }
        if !hints.isEmpty { scans.insert(hints) }
    }

    mutating func setForks(_ forks: SyncForks) {
        planner.branches.reaches = forks.reaches
        planner.branches.forks = forks.alarms
    }
}
