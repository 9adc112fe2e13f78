import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryStore

/// The state that the loops of the service share.
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
    var pause: ImportPause?
    private(set) var withheld: Int?
    var exportFailures = FailureReports()
    /// The time when this store published a segment last, or began to run.
    private var published: WallTime?
    /// The time when a full log folder last caused a compaction pass.
    private var madeRoom: WallTime?
    var storedAccepted: [SegmentName: String]
    var comparison: CompactionReport.Step?
    /// Why this store cannot judge a baseline, until the missing transaction arrives or another baseline is verified or
    /// joined.
    var openAnswers: [KnownBaseline: (reason: String, missing: AppliedSegments.Transaction?)] = [:]
    /// An own baseline with a transaction that exists nowhere else, with the time of the finding; nil for none.
    private var lone: (baseline: KnownBaseline, missing: AppliedSegments.Transaction, since: WallTime)?
    /// Own segments that the log folder lacks, by writer, with the time of the finding.
    private var missing: (exports: [MissingExports], since: WallTime, looked: WallTime)?
    /// Whether files of the own writer have vanished or returned, so that a compaction pass must look.
    private var hasLostFiles = false
    private(set) var damagedExports: Set<SegmentName> = []
    /// When lost files last caused a compaction pass.
    private var lossSeen: WallTime?
    /// Grows when the trusted keys change; earlier results of reading are then discarded.
    private(set) var trustGeneration = 0
    /// The positions of a baseline that waits until this store has applied its transactions; nil for none.
    private var awaited: VersionVector?

    init(configuration: SyncConfiguration, planner: ImportPlanner, pause: ImportPause? = nil) {
        self.configuration = configuration
        self.planner = planner
        self.pause = pause
        storedAccepted = planner.accepted
    }

    var knownBaselines: KnownBaselines { planner.baselines.known }

    mutating func configure(_ new: SyncConfiguration) {
        let logs = configuration.logs
        configuration = new
        configuration.logs = logs
        planner.limits = new.limits
    }

    // MARK: Scanning

    mutating func scanned(
        _ scan: FolderScan,
        isWhole: Bool,
        isLimited: Bool,
        wall: WallTime
    ) -> SyncProblems.FolderChange {
        let (before, replacedBefore) = (planner.appliedCount(of: planner.own), planner.replaced(of: planner.own))
        for listing in scan.listings { planner.found(listing, wall: wall) }
        for change in scan.changes { planner.found(change, wall: wall) }
        for writer in scan.vanished { planner.vanished(writer, wall: wall) }
        let after = planner.appliedCount(of: planner.own)
        if after < before || after > before && missing != nil { hasLostFiles = true }
        if planner.replaced(of: planner.own) != replacedBefore { hasLostFiles = true }
        if isLimited { problems.raise(.watchLimit(since: wall)) }
        return problems.updateFolder(scan.problems, isWhole: isWhole, scanned: scan.lookedAt, wall: wall)
    }

    mutating func watched(_ problem: FolderProblem?, wall: WallTime) {
        guard let problem else { return problems.end(.watchFailed) }
        problems.raise(Problem(problem, since: wall))
    }

    // MARK: Importing

    /// For new trusted keys; O(n log n) for the files that were read.
    mutating func readAllAgain(wall: WallTime) {
        trustGeneration += 1
        planner.readAllAgain()
        found(KnownBaselines(), wall: wall)
        scans.insert(FolderHints(everything: true))
    }

    mutating func setPositions(_ positions: [UniqueID: WriterPosition]) {
        for (writer, position) in positions { planner.setPosition(position, of: writer) }
    }

    /// A former writer that has exported nothing no longer belongs to this store: a copy of it may publish this writer.
    mutating func setOwn(_ writer: UniqueID, _ positions: [UniqueID: WriterPosition]) {
        if planner.own != writer, positions[planner.own] == nil {
            planner.setPosition(WriterPosition(), of: planner.own)
        }
        planner.own = writer
        setPositions(positions)
    }

    mutating func found(_ found: KnownBaselines, wall: WallTime) {
        let isDecided = found.verified != knownBaselines.verified
        if let lone, !found.unverified.contains(lone.baseline) { self.lone = nil }
        openAnswers = isDecided ? [:] : openAnswers.filter { found.baselines[$0.key.name] == $0.key }
        planner.baselines.set(found)
        // Once another store endorses the baseline, the objection concerns only its maker and the store that objects.
        let objection = knownBaselines.objections.first {
            !knownBaselines.isVerified($0.baseline) || [$0.store, $0.baseline.name.writer].contains(planner.own)
        }
        if let objection {
            problems.raise(.baselinesDiffer(objection, logs: configuration.logs, since: wall))
        } else {
            problems.end(.baselinesDiffer)
        }
    }

    mutating func found(lone: (baseline: KnownBaseline, missing: AppliedSegments.Transaction)?, wall: WallTime) {
        self.lone = lone.map { ($0.baseline, $0.missing, self.lone?.since ?? wall) }
    }

    /// Whether own files have vanished, were damaged or returned; at most once a minute, because a pass costs O(n).
    mutating func takeLoss(wall: WallTime) -> Bool {
        guard hasLostFiles, SyncState.isDue(after: lossSeen, wall) else { return false }
        (hasLostFiles, lossSeen) = (false, wall)
        return true
    }

    private static func isDue(after last: WallTime?, _ wall: WallTime) -> Bool {
        last.map { !($0...$0.later(by: .seconds(60))).contains(wall) } ?? true
    }

    mutating func found(missing exports: [MissingExports], wall: WallTime) {
        missing = exports.isEmpty ? nil : (exports, missing?.since ?? wall, wall)
    }

    /// Whether others may have acknowledged missing own segments; at most once a minute, because a pass costs O(n).
    mutating func mayHaveExports(wall: WallTime) -> Bool {
        guard let looked = missing?.looked, SyncState.isDue(after: looked, wall) else { return false }
        missing?.looked = wall
        return true
    }

    /// Returns whether the transactions of the baseline are already applied.
    mutating func awaits(_ vector: VersionVector) -> Bool {
        awaited = vector
        return hasAwaited()
    }

    mutating func hasAwaited() -> Bool {
        guard let vector = awaited else { return false }
        guard planner.covers(vector) else { return false }
        awaited = nil
        return true
    }

    /// Completes the initial import unless something is missing or paused; returns whether it has become complete now.
    @discardableResult
    mutating func waits() -> Bool {
        let lacks = planner.isBeginning && planner.baselines.waiting != nil
        let isKept = pause != nil || problems.isFolderMissing || lacks
        guard !progress.isInitialImportComplete, !isKept else { return false }
        progress.isInitialImportComplete = true
        planner.isBeginning = false
        return true
    }

    mutating func readAgain(_ name: SegmentName) {
        var hints = FolderHints()
        hints.insert(file: name)
        scans.insert(hints)
        _ = planner.retry(name)
    }

    mutating func applied(_ result: ImportBatch.Result, wall: WallTime) {
        for name in result.finished { planner.finished(name) }
        for name in result.unlinked { planner.compare(name) }
        // The positions advance after the finished segments, which are counted from the former position.
        for (writer, sequence) in result.positions {
            planner.advanced(writer, to: sequence, partial: result.partials[writer]?.partial)
        }
        for (name, unmet) in result.unmet { planner.stopped(name, by: unmet) }
        for name in result.refused { _ = planner.retry(name) }
        progress.addImported(result.counts, wall: wall)
        problems.end(.importFailed)
    }

    /// Returns the status of a file that contradicts the applied transactions.
    mutating func compared(_ finding: AppliedAudit.Finding, wall: WallTime) -> SegmentStatus? {
        planner.compared(finding.file, finding.reason, isLocked: finding.isLocked, wall: wall)
        switch finding.isDamaged {
        case true?: if damagedExports.insert(finding.file.id).inserted { hasLostFiles = true }
        case false?: if finding.file.hasOwnName, damagedExports.remove(finding.file.id) != nil { hasLostFiles = true }
        case nil: break
        }
        return finding.reason == nil ? nil : planner.status(of: finding.file.id, in: .forked, wall: wall)
    }

    // MARK: Accepting

    mutating func accept(_ name: SegmentName, wall: WallTime) throws(SyncError) {
        // If several files have the name, another of them may also be unapplied.
        let held = planner.status(of: name, in: .held, wall: wall)
        guard let status = held ?? planner.status(of: name, wall: wall) else { throw .noSuchSegment(name) }
        guard status.state == .held, planner.accept(name) != nil else {
            throw .notHeld(name, state: status.state)
        }
    }

    var hasAcceptedToStore: Bool { planner.accepted != storedAccepted }

    // MARK: Exporting

    private static let exceptionInterval = Duration.seconds(3600)
    private static let roomInterval = Duration.seconds(600)

    /// One segment an hour is exported although the log folder is full.
    ///
    /// Two stores with unexported changes would otherwise never acknowledge what the other waits for.
    mutating func mayExceedLimit(wall: WallTime) -> Bool {
        guard let published, published <= wall else {
            published = wall
            return false
        }
        return wall.duration(since: published) >= SyncState.exceptionInterval
    }

    /// Something waits for room: a compaction pass is due at once, then every ten minutes.
    mutating func mayMakeRoom(wall: WallTime) -> Bool {
        guard withheld != nil else {
            madeRoom = nil
            return false
        }
        if let madeRoom, !madeRoom.isDue(after: SyncState.roomInterval, at: wall) { return false }
        madeRoom = wall
        return true
    }

    /// `withheld` is nil when no transaction waits for room in the log folder.
    mutating func exported(_ counts: ImportCounts, withheld: Int?, wall: WallTime) {
        problems.setExportProblem(nil)
        if counts.segments > 0 { published = wall }
        self.withheld = withheld
        if let withheld, let limit = configuration.maxBytes {
            problems.raise(.folderFull(configuration.logs, limit: limit, waiting: withheld, since: wall))
        } else {
            problems.end(.folderFull)
        }
    }

    mutating func found(_ taken: TakenNames) {
        problems.end(.nameTaken)
        if let problem = Problem(taken, in: configuration.logs) { problems.raise(problem) }
    }

    /// Returns the journal entry; nil when the same failure was logged lately.
    @discardableResult
    mutating func exportFailed(_ error: any Error, wall: WallTime, now: Duration) -> FailureReports.Report? {
        let problem = Problem.exportFailed(error, logs: configuration.logs, since: wall)
        problems.setExportProblem(problem)
        return exportFailures.failed(problem.code, ErrorText.text(of: error), at: now)
    }

    // MARK: Status

    func status(wall: WallTime) -> SyncStatus {
        var status = SyncStatus()
        status.pausedSince = pause?.since
        let summaries = planner.summaries(wall: wall)
        status.segments = ImportPlanner.counts(summaries)
        status.queue = planner.queueLength(wall: wall)
        status.lastImport = progress.lastImport
        status.isImporting = progress.isApplying
        status.imported = progress.imported
        let found =
            problems.all + [pause.map { Problem.paused($0, at: wall) }].compactMap(\.self)
            + planner.problems(summaries, wall: wall) + baselineProblems(wall: wall)
            + [exportProblem(wall: wall)].compactMap(\.self)
        status.problems = found.sorted { ($0.code.rawValue, $0.detail) < ($1.code.rawValue, $1.detail) }
        return status
    }
}

extension SyncState {
    mutating func refused(_ name: BaselineName, _ refusal: KnownBaselines.Refusal, wall: WallTime) {
        found(knownBaselines.refusing(name, refusal), wall: wall)
    }

    /// A file without its end is a problem only after the grace.
    func baselineProblems(wall: WallTime) -> [Problem] {
        let limits = planner.limits
        let late = knownBaselines.refused.filter {
            !$0.value.isIncomplete || limits.isLate(since: $0.value.since, wall: wall)
        }
        let refused = late.min { $0.key < $1.key }.map { name, refusal in
            let (subject, list) = ("The baseline \(name.path)", "compact --dry-run")
            return Problem(.baselineRefused, subject, of: name.writer, refusal, count: late.count, listedBy: list)
        }
        let missed = knownBaselines.missedComparisons
        let comparison = missed.min { $0.key < $1.key }.map { name, refusal in
            let (writer, count) = (name.writer, missed.count)
            let subject = "The comparison of the baseline \(name.baseline.path) by writer \(writer)"
            return Problem(.comparisonRefused, subject, of: writer, refusal, count: count, listedBy: "check")
        }
        let waiting = planner.baselines.waiting.map(Problem.baselineWaits)
        let offered = planner.baselines.offered.flatMap { offered in
            limits.isLate(since: offered.since, wall: wall) ? Problem.baselineOffered(offered) : nil
        }
        let alone = lone.flatMap { lone in
            limits.isLate(since: lone.since, wall: wall)
                ? Problem.baselineAlone(lone.baseline.name, lone.missing, since: lone.since) : nil
        }
        return [refused, comparison, waiting, offered, alone ?? unverified(wall: wall)].compactMap(\.self)
    }

    /// Only after the grace, because a file that is being replaced returns soon.
    private func exportProblem(wall: WallTime) -> Problem? {
        guard let missing, planner.limits.isLate(since: missing.since, wall: wall) else { return nil }
        // A baseline that has them may have been endorsed since the last pass.
        let covered = knownBaselines.covered
        let exports = missing.exports.filter { $0.last > covered[$0.first.writer] }
        return exports.isEmpty ? nil : .exportsMissing(exports, logs: configuration.logs, since: missing.since)
    }

    /// After a day the maker compares it itself, and daemons check once a day: after three days nothing more happens.
    private static let comparisonPatience = Duration.seconds(3 * 86_400)

    /// No baseline has been endorsed for days; O(b v w) for b baselines, v of them verified.
    private func unverified(wall: WallTime) -> Problem? {
        guard let comparison, comparison.result == .waits, let reason = comparison.detail else { return nil }
        let open = knownBaselines.unverified.filter { baseline in
            planner.covers(baseline.vector) && !knownBaselines.verified.contains { $0.covers(baseline) }
        }
        let times = open.compactMap { knownBaselines.marks[$0.name.path]?.modified.wall }
        guard let baseline = open.first(where: { $0.name.path == comparison.file }), let since = times.min(),
            since.later(by: SyncState.comparisonPatience) <= wall
        else { return nil }
        return .baselineUnverified(baseline.name, reason, since: since)
    }

    /// The problems of baselines that do not keep any transaction from being imported here; O(w) for each objection.
    ///
    /// An ignored baseline matters only if no other file has its transactions. An unreadable baseline shows only the last
    /// transaction of its own writer, by its name.
    func idleBaselineProblems(at wall: WallTime) -> Set<Problem.Code> {
        var found: Set<Problem.Code> = []
        let keepsOut = knownBaselines.objections.contains {
            !knownBaselines.isVerified($0.baseline) && planner.lacks($0.baseline.vector, wall: wall)
        }
        if !keepsOut { found.insert(.baselinesDiffer) }
        if lone != nil, planner.baselines.waiting == nil, planner.baselines.offered == nil {
            found.insert(.baselineWaits)
        }
        let isRefused = knownBaselines.refused.keys.contains {
            planner.lacks(VersionVector([$0.writer: $0.sequence]), wall: wall)
        }
        if !isRefused { found.insert(.baselineRefused) }
        return found
    }

    mutating func joined(_ baseline: KnownBaseline, refusal: PlannedBaselines.Refusal?) {
        if let refusal { return planner.baselines.refuse(baseline, refusal) }
        openAnswers = [:]
        problems.end(.importFailed)
    }
}

extension SyncState {
    init(_ reader: Reader, configuration: SyncConfiguration) throws {
        let own = try reader.writers.own().id
        var planner = ImportPlanner(own: own, limits: configuration.limits)
        for writer in try reader.writers.all() {
            planner.setPosition(try SyncRecords.position(of: writer, reader), of: writer.id)
            if writer.state == .abandoned { planner.abandoned.insert(writer.id) }
        }
        _ = planner.take(try reader.writers.greatestPublishedClock())
        planner.isBeginning = planner.positions.allSatisfy { $0.key == own || $0.value.sequence == 0 }
        planner.accepted = try reader.setting(StoreKeys.accepted).map(SyncRecords.accepted) ?? [:]
        let pause = try reader.setting(StoreKeys.paused).flatMap { ImportPause($0) }
        self.init(configuration: configuration, planner: planner, pause: pause)
    }
}

struct ImportProgress: Sendable {
    var isInitialImportComplete = false
    var lastImport: WallTime?
    var isApplying = false
    private(set) var imported = ImportCounts()

    mutating func addImported(_ counts: ImportCounts, wall: WallTime) {
        imported = imported + counts
        if counts.transactions > 0 { lastImport = wall }
    }
}
