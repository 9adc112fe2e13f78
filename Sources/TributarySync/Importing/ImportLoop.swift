import Synchronization
import TransactionLog
import TributaryChanges
import TributaryStore

/// The one consumer of the log folder: connects the stages watch, scan, plan, verify, apply and announce.
///
/// Each stage is a type with an input and an output. What they learn from each other goes through the owner of the state.
struct ImportLoop {
    private let environment: SyncEnvironment
    private let state: SyncStateOwner
    private let signals: SyncSignals
    private let control: ImportControl
    private let pauseSwitch: PauseSwitch
    private var watch: FolderWatch
    private var scanner: FolderScanner
    private var verification: SegmentVerification
    private let importer: Importer
    private var announcer: ImportAnnouncer
    /// Time of the clock at which a failed import is tried again.
    private var nextAttempt: Duration?

    /// Time after which a failed import is tried again.
    private static let retryInterval = Duration.seconds(10)
    /// Applied files that are compared before the loop looks for anything else to do.
    private static let auditLimit = 256

    init(_ service: SyncService) {
        environment = service.environment
        state = service.state
        signals = service.signals
        control = service.control
        pauseSwitch = service.pauseSwitch
        let path = state.configuration.logs
        watch = FolderWatch(path: path, signal: signals.imports)
        scanner = FolderScanner(path: path, own: environment.own)
        let queue = SerialQueue("tributary.import", inBackground: true)
        verification = SegmentVerification(queue: queue, control: control)
        importer = Importer(environment: environment, queue: queue, control: control)
        announcer = ImportAnnouncer(
            environment: environment,
            state: state,
            events: service.events,
            deferrals: service.deferrals
        )
        updateWatchProblem()
    }

    private var now: Duration { environment.clock.now() }

    private var records: SyncRecords { SyncRecords(store: environment.store) }

    /// Runs until the service stops; blocks the thread that it is on while it looks at the folder.
    mutating func run() async {
        control.work.begin()
        defer { control.work.end() }
        // Requests for which the whole folder has been scanned.
        var scanned = 0
        while !state.isStopping {
            let requested = state.read(\.lifecycle.requestCount)
            if requested > scanned {
                state.update { $0.requestScan() }
                // An administrator who asks may have made room: an import that failed is tried again now.
                nextAttempt = nil
            }
            scanned = requested
            pauseSwitch.endWhenDue()
            // An attempt that is due needs no rest any more, also when there is nothing that can be tried now.
            if let due = nextAttempt, due <= now { nextAttempt = nil }
            let deadline = await importAll()
            announcer.announceStates()
            guard await !audit() else { continue }
            // Requests end after the audit, so that their status shows forks of applied segments too.
            state.finishRequests(scanned)
            scanned = 0
            let rest = rest(until: deadline)
            control.work.end()
            await signals.imports.wait(until: now + rest, on: environment.clock)
            control.work.begin()
        }
    }

    /// Goes on until there is nothing to do; the wall time at which there may be.
    private mutating func importAll() async -> UInt64? {
        while !state.isStopping {
            scanWhereHinted()
            let wall = environment.wall
            switch state.update({ $0.nextAction(wall: wall) }) {
            case .verify(let segments):
                await verify(segments)
            case .apply(let runs):
                guard state.read({ $0.pause == nil }), nextAttempt.map({ $0 <= now }) ?? true else { return nil }
                guard await apply(runs) else { return nil }
            case .wait(let until):
                return until
            }
        }
        return nil
    }

    /// How long nothing has to be done unless a hint comes.
    private func rest(until deadline: UInt64?) -> Duration {
        let dues = [watch.due, announcer.deferralsDue, nextAttempt].compactMap(\.self)
        let wall = environment.wall
        let wallDues = [deadline, state.read { $0.pause?.until }, announcer.nextGapDue()].compactMap(\.self)
        let rests = dues.map { $0 - now } + wallDues.map { .milliseconds($0 > wall ? $0 - wall : 0) }
        return max(rests.min() ?? .zero, .milliseconds(1))
    }

    // MARK: Watch and scan

    private mutating func scanWhereHinted() {
        let requested = state.update { $0.drainHints() }
        let hints = watch.nextHints(adding: requested, now: now, rescan: state.configuration.rescan)
        guard !hints.isEmpty else { return }
        if hints.isEverything {
            updateWatchProblem()
            watch.watchRoot()
        }
        updateOwnPosition()
        let positions = state.read(\.planner.positions)
        let (control, watchWriter) = (control, watch.watchWriter)
        let scan = scanner.scan(hints, wall: environment.wall) {
            positions[$0]?.sequence ?? 0
        } watch: {
            control.step()
            watchWriter($0)
        }
        control.step()
        let (isLimited, wall) = (watch.isLimited, environment.wall)
        let change = state.update {
            $0.scanned(scan, isWhole: hints.isEverything, isLimited: isLimited, wall: wall)
        }
        announcer.announce(change)
        state.folderWasScanned()
        reportForeignFiles(scan)
        watch.retryLater(scan.retry, now: now)
        retrySegmentsWithNewBlobs(hints)
    }

    private func updateWatchProblem() {
        let (problem, wall) = (watch.problem, environment.wall)
        state.update { $0.watched(problem, wall: wall) }
    }

    private func updateOwnPosition() {
        guard let position = try? records.ownPosition() else { return }
        state.update { $0.setPositions([environment.own: position]) }
    }

    /// A file of the own writer with sequences that the store has not reached was written by somebody else.
    private func reportForeignFiles(_ scan: FolderScan) {
        let own = environment.own
        let reached = state.read { $0.planner.position(of: own).sequence }
        guard let name = scan.firstFile(of: own, past: reached) else { return }
        // An export may have moved on while the folder was listed.
        guard let position = try? records.ownPosition(), position.sequence < name.last else { return }
        contradict(AppliedAudit.Finding(name: name, reason: "This store has not written it."))
    }

    /// Has segments read again of which all blobs that were missing have come.
    private mutating func retrySegmentsWithNewBlobs(_ hints: FolderHints) {
        let missing = state.read(\.planner.missingBlobs)
            .filter { hints.isEverything || hints.blobs.contains($0.key.writer) }
        guard !missing.isEmpty else { return }
        guard let logs = try? LogFolder(path: scanner.path) else { return watch.retryLater(hints, now: now) }
        let complete = BlobSearch(logs: logs).complete(missing)
        state.update { $0.retry(complete) }
    }

    // MARK: Verify and apply

    private mutating func verify(_ segments: [WriterListing.Pending]) async {
        let (configuration, positions) = state.read { ($0.configuration, $0.planner.positions) }
        let results = await verification.verify(segments, configuration: configuration, positions: positions)
        // Another file than was found, or none: it is scanned again, but not at once, since some file systems never show a
        // file twice as the same.
        var changed = FolderHints()
        for result in results where result.outcome == .changed { changed.insert(file: result.segment.id) }
        watch.retryLater(changed, now: now)
        let wall = environment.wall
        state.update { $0.verified(results, wall: wall) }
    }

    /// False when it cannot go on now.
    private mutating func apply(_ runs: [ImportPlanner.Run]) async -> Bool {
        updateOwnPosition()
        let (items, forgotten) = verification.items(of: runs)
        let (configuration, positions, abandoned) = state.update { state in
            state.setApplying(true)
            state.retry(forgotten)
            return (state.configuration, state.planner.positions, state.planner.abandoned)
        }
        defer { state.update { $0.setApplying(false) } }
        do {
            let outcome = try await importer.apply(
                items,
                configuration: configuration,
                positions: positions,
                abandoned: abandoned
            )
            verification.remove(outcome.finished)
            let wall = environment.wall
            state.update { $0.applied(outcome, runs: runs, wall: wall) }
            announcer.announce(outcome)
            if outcome.counts.changes > 0 { signals.exports.raise() }
            records.storeAccepted(of: state, logger: environment.logger)
            nextAttempt = nil
            return true
        } catch let failure as SegmentFailure {
            announcer.announceRetry(after: failure)
            state.update { state in
                state.retry([failure.name])
                state.requestScan(of: failure.name)
            }
            return true
        } catch {
            fail(error)
            return false
        }
    }

    private mutating func fail(_ error: any Error) {
        guard !state.isStopping else { return }
        nextAttempt = now + ImportLoop.retryInterval
        // The import may have moved positions before it failed.
        let positions = (try? records.positions()) ?? [:]
        announcer.announceFailure(error)
        let wall = environment.wall
        state.update { state in
            state.setPositions(positions)
            state.importFailed(error, wall: wall)
        }
    }

    // MARK: Compare what was applied

    /// Compares the end lines of some applied files with the store; true while there are more.
    private mutating func audit() async -> Bool {
        let names = scanner.unchecked(limit: ImportLoop.auditLimit)
        guard !names.isEmpty, !state.isStopping else { return false }
        let audit = AppliedAudit(
            path: scanner.path,
            store: environment.store,
            own: environment.own,
            control: control
        )
        let (findings, refused) = await audit.compare(names)
        for finding in findings { contradict(finding) }
        watch.retryLater(refused, now: now)
        for name in names { scanner.checked(name) }
        control.step()
        return true
    }

    private func contradict(_ finding: AppliedAudit.Finding) {
        let wall = environment.wall
        announcer.announce(finding, state.update { $0.contradicted(finding, wall: wall) })
    }
}
