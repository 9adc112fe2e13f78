import TransactionLog
import TributaryChanges

/// The state that the loops of the service share: lifecycle, positions and plan, hints, problems, progress, pause.
///
/// Each function applies one event; ``SyncStateOwner`` calls one at a time.
struct SyncState: Sendable {
    typealias Lifecycle = ServiceLifecycle<CheckedContinuation<Void, any Error>, CheckedContinuation<Void, Never>>

    var lifecycle = Lifecycle()
    private(set) var configuration: SyncConfiguration
    var planner: ImportPlanner
    var scans = ScanSchedule()
    var problems = SyncProblems()
    var progress = ImportProgress()
    /// The pause; nil while importing is not paused.
    var pause: ImportPause?
    private(set) var identity = IdentityState()
    /// The accepted segments that the store remembers.
    private var storedAccepted: [SegmentName: String]
    private(set) var shelf: BaselineShelf
    /// Whether a baseline of another writer waits until this store has applied its transactions.
    var isBehindBaseline = false

    /// Creates the initial state of a service.
    init(
        configuration: SyncConfiguration,
        planner: ImportPlanner,
        pause: ImportPause? = nil,
        event: IdentityEvent? = nil,
        shelf: BaselineShelf = BaselineShelf()
    ) {
        self.shelf = shelf
        self.configuration = configuration
        self.planner = planner
        self.pause = pause
        identity.event = event
        storedAccepted = planner.accepted
    }

    /// Replaces the settings; the path of the log folder does not change while the service runs.
    mutating func configure(_ new: SyncConfiguration) {
        let logs = configuration.logs
        configuration = new
        configuration.logs = logs
        planner.limits = new.limits
    }

    // MARK: Scanning

    /// Applies the results of a scan of the folder.
    mutating func scanned(
        _ scan: FolderScan,
        isWhole: Bool,
        isLimited: Bool,
        wall: WallTime
    ) -> SyncProblems.FolderChange {
        for listing in scan.listings { planner.found(listing, wall: wall) }
        for change in scan.changes { planner.found(change, wall: wall) }
        for writer in scan.vanished { planner.vanished(writer, wall: wall) }
        if isLimited { problems.raise(.watchLimit(since: wall)) }
        return problems.updateFolder(scan.problems, isWhole: isWhole, scanned: scan.lookedAt, wall: wall)
    }

    /// Records that the folder is watched, or that the system refuses to watch it.
    mutating func watched(_ problem: FolderProblem?, wall: WallTime) {
        guard let problem else { return problems.end(.watchFailed) }
        problems.raise(SyncProblem(problem, since: wall))
    }

    // MARK: Importing

    mutating func setPositions(_ positions: [UniqueID: WriterPosition]) {
        for (writer, position) in positions { planner.setPosition(position, of: writer) }
    }

    /// Continues as another writer: the former one is imported like others from now on.
    mutating func become(_ writer: UniqueID, positions: [UniqueID: WriterPosition]) {
        planner.become(writer)
        setPositions(positions)
        problems.end(.ownFork, .ownClockAhead, .exportFailed)
        identity.fork = nil
        scans.insert(FolderHints(everything: true))
    }

    /// Records why the store has become another writer.
    mutating func renewed(by event: IdentityEvent) { identity.event = event }

    /// Records the result of the check of the identity, after which the store may be another writer.
    mutating func identified(_ writer: UniqueID, positions: [UniqueID: WriterPosition], event: IdentityEvent?) {
        identity.isChecked = true
        identity.event = event
        if writer != planner.own { become(writer, positions: positions) }
    }

    mutating func abandon(_ writer: UniqueID) { planner.abandoned.insert(writer) }

    /// Records the baselines of the log folder; those of the store's model may be joined.
    mutating func found(_ found: BaselineShelf, modelHash: String, wall: WallTime) {
        shelf = found.learning(from: shelf)
        planner.baselines.set(shelf.verified.filter { $0.modelHash == modelHash })
        if let dispute = shelf.disputes.first {
            problems.raise(.baselinesDiffer(dispute, since: wall))
        } else {
            problems.end(.baselinesDiffer)
        }
    }

    /// Records the proofs of baselines that the store has now.
    mutating func kept(_ proofs: [BaselineName: BaselineProof]) { shelf = shelf.keeping(proofs) }

    /// Whether a store that has applied nothing was to begin with a baseline, and something of that is missing.
    private var lacksFirstBaseline: Bool {
        !planner.baselines.refused.isEmpty && isNew
    }

    /// Records that the planner waits: the initial import is complete, unless importing is paused, the folder is not
    /// there, or the store has not joined its first baseline.
    ///
    /// - Returns: Whether it has become complete now.
    @discardableResult
    mutating func waits() -> Bool {
        let isKept = pause != nil || problems.isFolderMissing || lacksFirstBaseline
        guard !progress.isInitialImportComplete, !isKept else { return false }
        progress.isInitialImportComplete = true
        return true
    }

    /// Marks a segment to be scanned and to be read again; an unknown name is scanned only.
    mutating func readAgain(_ name: SegmentName) {
        var hints = FolderHints()
        hints.insert(file: name)
        scans.insert(hints)
        _ = planner.retry(name)
    }

    /// Applies the result of a committed batch.
    mutating func applied(_ outcome: ImportBatch.Outcome, runs: [ImportPlanner.Run], wall: WallTime) {
        let hashes = Dictionary(runs.map { ($0.id, $0.segment.sha256) }) { first, _ in first }
        for name in outcome.finished {
            guard let hash = hashes[name] else { continue }
            planner.finished(name, sha256: hash, wall: wall)
        }
        // The positions advance after the finished segments, which are counted from the former position.
        for (writer, sequence) in outcome.positions {
            planner.advanced(writer, to: sequence, partial: outcome.partials[writer]?.partial)
        }
        for (name, unmet) in outcome.unmet { planner.stopped(name, by: unmet) }
        progress.addImported(outcome.counts, wall: wall)
        problems.end(.importFailed)
    }

    mutating func importFailed(_ error: any Error, wall: WallTime) {
        problems.raise(.importFailed(error, since: wall))
    }

    /// Records a file that contradicts the applied segment.
    ///
    /// - Returns: The segment's status; nil when its writer has no other segment.
    mutating func contradicted(_ finding: AppliedAudit.Finding, wall: WallTime) -> SegmentStatus? {
        planner.contradicted(finding.name, reason: finding.reason, wall: wall)
        if finding.name.writer == planner.own {
            forked(OwnFork(file: finding.name.path, reason: finding.reason), wall: wall)
        }
        return planner.status(of: finding.name, wall: wall)
    }

    /// Records that another program writes as the store's writer: nothing is exported before the store is another one.
    mutating func forked(_ fork: OwnFork, wall: WallTime) {
        // A segment of the writer itself is the better proof: nothing is to be waited for any more.
        if identity.fork.map({ $0.due != nil && fork.due == nil }) ?? true { identity.fork = fork }
        problems.raise(.ownFork(fork.file, fork.reason, own: planner.own, since: wall))
    }

    /// Sets the time at which the store tries again to become another writer; nil for at once.
    mutating func retryFork(at time: WallTime?) { identity.fork?.retry = time }

    /// Records that other writers have seen later transactions of the store's own writer than the store has.
    ///
    /// - Parameters:
    ///   - file: the file that says so.
    ///   - sequence: the transaction.
    ///   - known: the store's own last transaction.
    ///   - isExported: whether the store has exported all of its own.
    ///   - wall: the wall time.
    mutating func isOlder(
        than file: String,
        sequence: UInt64,
        known: UInt64,
        isExported: Bool,
        wall: WallTime
    ) {
        guard identity.fork == nil else { return }
        let reason = "It has seen transaction \(sequence) of this store's writer, and this store has \(known)."
        let due = isExported ? nil : wall.later(by: configuration.incompleteGrace)
        forked(OwnFork(file: file, reason: reason, isOlder: true, due: due), wall: wall)
    }

    /// The segments whose state has changed since the last call.
    mutating func drainStateChanges(wall: WallTime) -> [SegmentStatus] { planner.announce(wall: wall) }

    // MARK: Accepting

    /// Accepts a held segment.
    ///
    /// - Throws: ``SyncError`` `noSuchSegment`, `notHeld`.
    mutating func accept(_ name: SegmentName, wall: WallTime) throws(SyncError) {
        // Of several files with the name, another one may not be applied either.
        let held = planner.status(of: name, in: .held, wall: wall)
        guard let status = held ?? planner.status(of: name, wall: wall) else { throw .noSuchSegment(name) }
        guard status.state == .held, planner.accept(name, wall: wall) != nil else {
            throw .notHeld(name, state: status.state)
        }
    }

    /// The accepted segments, when they differ from the stored ones; nil when they do not.
    var acceptedToStore: [SegmentName: String]? { planner.accepted == storedAccepted ? nil : planner.accepted }

    /// Records the accepted segments that the store has now.
    mutating func stored(accepted: [SegmentName: String]) { storedAccepted = accepted }

    // MARK: Exporting

    /// Whether local changes may be exported.
    var mayExport: Bool { configuration.exports && !problems.contains(.ownFork) }

    mutating func exported(_ counts: ImportCounts) {
        progress.addExported(counts)
        problems.endExportProblems()
    }

    mutating func exportFailed(_ error: any Error, wall: WallTime) {
        if let error = error as? SegmentError, error.kind == .forked {
            // The import may have found the file meanwhile, and made the store another writer.
            guard error.writer == planner.own else { return }
            return forked(OwnFork(file: error.file, reason: "Its name is taken by other content."), wall: wall)
        }
        problems.replaceExportProblem(
            with: .exportFailed(error, logs: configuration.logs, own: planner.own, since: wall)
        )
    }

    // MARK: Status

    /// The problem that tells of a new writer, unless the writer is to change again.
    private func eventProblem(at wall: WallTime) -> SyncProblem? {
        identity.fork == nil ? identity.event?.problem(at: wall) : nil
    }

    /// The status, with its problems in order.
    func status(wall: WallTime) -> SyncStatus {
        var status = SyncStatus()
        status.pausedSince = pause?.since
        let summaries = planner.summaries(wall: wall)
        status.segments = ImportPlanner.counts(summaries)
        status.queue = planner.queueLength(wall: wall)
        status.initialImportComplete = progress.isInitialImportComplete
        status.lastImport = progress.lastImport
        status.isImporting = progress.isApplying
        status.imported = progress.imported
        status.exported = progress.exported
        let found =
            problems.all + [pause?.problem(at: wall), eventProblem(at: wall)].compactMap(\.self)
            + planner.problems(summaries, wall: wall) + baselineProblems(wall: wall)
        status.problems = found.sorted { ($0.code.rawValue, $0.detail) < ($1.code.rawValue, $1.detail) }
        return status
    }
}
