import Synchronization
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryStore

// This folder brings segments and baselines from the log folder into the store. Segments are verified and applied in
// batches; the next segments are read meanwhile. Later, the files of applied segments are compared with the store.

/// The only consumer of the log folder: connects the stages watch, scan, plan, verify, apply and announce.
struct ImportLoop {
    private let service: SyncService
    private var watch: FolderWatch
    private var scanner: FolderScanner
    private let verification: SegmentVerification
    /// Larger than a batch, so that it contains the verified segments of a batch.
    private var verified = VerifiedSegments(limit: 4_096)
    private let importer: Importer
    private var announcer: ImportAnnouncer
    private var nextAttempt: Duration?
    private var ends = SegmentEnds()

    private static let retryInterval = Duration.seconds(10)
    private static let auditLimit = 256

    /// Without `isWatching` the caller reports changes of the folder.
    init(_ service: SyncService, isWatching: Bool = true) {
        let (environment, state, signals) = (service.environment, service.state, service.signals)
        let control = service.control
        self.service = service
        let path = state.configuration.logs
        watch = FolderWatch(path: path, isActive: isWatching) { hints in
            state.update { $0.scans.insert(hints) }
            signals.imports.raise()
        }
        scanner = FolderScanner(path: path)
        let queue = SerialQueue("tributary.import")
        verification = SegmentVerification(queue: queue, control: control, environment: environment)
        importer = Importer(environment: environment, state: state, queue: queue, control: control)
        announcer = ImportAnnouncer(service: service)
        updateWatchProblem()
    }

    private var environment: SyncEnvironment { service.environment }
    private var state: SyncStateOwner { service.state }
    private var signals: SyncSignals { service.signals }
    private var control: ImportControl { service.control }

    private var now: Duration { environment.clock.now() }

    private var records: SyncRecords { SyncRecords(store: environment.store) }

    /// Blocks its thread while it reads the folder.
    mutating func run() async {
        control.work.begin()
        defer { control.work.end() }
        // The number of requests for which the whole folder has been scanned.
        var scanned = 0
        while !state.isStopping {
            let requested = state.read(\.lifecycle.requestCount)
            if requested > scanned {
                // Only an event reveals that an applied file was overwritten in its place.
                watch.flush()
                // The administrator may have made room on the disk, or the disk may respond again. Failed work is
                // therefore tried again now.
                state.update {
                    $0.scans.insert(FolderHints(everything: true))
                    $0.planner.retryUnreadable()
                    $0.planner.baselines.retry()
                }
                nextAttempt = nil
            }
            scanned = requested
            service.endPauseWhenDue()
            // An attempt that is due ends the rest, even when nothing can be tried now.
            if let due = nextAttempt, due <= now { nextAttempt = nil }
            let deadline = await importAll()
            guard await !concludePass() else { continue }
            // Requests end after the audit, so that their status also shows forks of applied segments.
            state.finishRequests(scanned)
            scanned = 0
            let rest = rest(until: deadline)
            control.work.end()
            await signals.imports.wait(until: now + rest, on: environment.clock)
            control.work.begin()
        }
    }

    private mutating func importAll() async -> WallTime? {
        while !state.isStopping {
            if case .rests(let deadline) = await step() { return deadline }
        }
        return nil
    }

    enum Step {
        case goesOn
        /// Nothing more can be imported until the wall time, if it is not nil.
        case rests(until: WallTime?)
    }

    mutating func step() async -> Step {
        scanWhereHinted()
        let wall = environment.wall
        let (action, isInitialImport) = state.update { state in
            let action = state.planner.next(wall: wall)
            guard case .wait = action else { return (action, false) }
            return (action, state.waits())
        }
        if isInitialImport { announcer.announceInitialImport() }
        switch action {
        case .verify(let segments):
            await verify(segments)
            return .goesOn
        case .apply(let runs) where mayApply: return await apply(runs) ? .goesOn : .rests(until: nil)
        case .join(let baseline) where mayApply: return await join(baseline) ? .goesOn : .rests(until: nil)
        case .apply, .join:
            // Files of the log folder are not kept open in a pause.
            importer.keepReaders(of: [])
            return .rests(until: nil)
        case .wait(let until):
            // Held segments may continue when the store has taken a later clock meanwhile, by an export or a join.
            if until != nil, let clock = try? environment.store.read({ try $0.writers.greatestPublishedClock() }),
                state.update({ $0.planner.take(clock) })
            {
                return .goesOn
            }
            importer.keepReaders(of: [])
            return .rests(until: until)
        }
    }

    private var mayApply: Bool { state.read { $0.pause == nil } && nextAttempt.map { $0 <= now } ?? true }

    /// Returns true while there are more applied files to compare.
    mutating func concludePass() async -> Bool {
        announcer.announceStates()
        return await audit()
    }

    private func rest(until deadline: WallTime?) -> Duration {
        let dues = [state.read(\.scans.due), announcer.deferralsDue, nextAttempt].compactMap(\.self)
        let wall = environment.wall
        let wallDues = [deadline, state.read { $0.pause?.until }, announcer.nextGapDue()].compactMap(\.self)
        let rests = dues.map { $0 - now } + wallDues.map { $0.duration(since: wall) }
        return max(rests.min() ?? .zero, .milliseconds(1))
    }

    // MARK: Watch and scan

    private mutating func scanWhereHinted() {
        let now = now
        let hints = state.update { $0.scans.next(now: now) }
        guard !hints.isEmpty else { return }
        ends = SegmentEnds()
        if hints.isEverything {
            watch.start()
            updateWatchProblem()
            let rescan = now + watch.interval(state.configuration.rescan)
            state.update { $0.scans.rescan(at: rescan) }
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
        if state.update({ $0.takeLoss(wall: wall) }) { signals.baselines.raise() }
        scanLater(scan.retry)
        // A baseline that arrives or changes is a hint of its folder.
        if hints.isEverything || !hints.folders.isEmpty { readBaselines() }
        retrySegmentsWithNewBlobs(hints)
    }

    private func readBaselines() {
        let (knownBaselines, generation) = state.read { ($0.knownBaselines, $0.trustGeneration) }
        let (files, wall) = (scanner.baselines, environment.wall)
        guard let logs = try? state.configuration.openLogs(), !knownBaselines.isCurrent(files, in: logs) else { return }
        let (store, trust) = (environment.store, environment.trust)
        let found = knownBaselines.reading(files, in: logs, control, trusting: (trust, store), wall: wall)
        guard found != knownBaselines else { return }
        state.update { state in
            // Otherwise the trusted keys have changed meanwhile, and a scan that reads the files again is due.
            if state.trustGeneration == generation { state.found(found, wall: wall) }
        }
        announcer.announce(found, after: knownBaselines)
        signals.baselines.raise()
    }

    private func scanLater(_ hints: FolderHints) {
        let now = now
        state.update { $0.scans.retry(hints, now: now) }
    }

    private func updateWatchProblem() {
        let (problem, wall) = (watch.problem, environment.wall)
        state.update { $0.watched(problem, wall: wall) }
    }

    private func updateOwnPosition() {
        guard let (own, position) = try? records.ownPosition() else { return }
        // The former writer may have continued since the last scan.
        let positions = state.read(\.planner.own) == own ? nil : try? records.positions()
        state.update { $0.setOwn(own, positions ?? [own: position]) }
    }

    private func retrySegmentsWithNewBlobs(_ hints: FolderHints) {
        let missing = state.read(\.planner.missingBlobs)
            .filter { hints.isEverything || hints.blobs.contains($0.key.writer) }
        guard !missing.isEmpty else { return }
        guard let logs = try? LogFolder(path: scanner.path) else { return scanLater(hints) }
        let complete = BlobSearch(logs: logs).complete(missing)
        readAgain(complete)
    }

    private func readAgain(_ names: [SegmentName]) {
        state.update { state in
            for name in names { _ = state.planner.retry(name) }
        }
    }

    // MARK: Verify and apply

    private mutating func verify(_ segments: [WriterListing.Pending]) async {
        let (configuration, positions, generation) = state.read {
            ($0.configuration, $0.planner.positions, $0.trustGeneration)
        }
        take(await verification.verify(segments, configuration: configuration, positions: positions), generation)
    }

    /// If the trusted keys have changed since, the segments are read again instead.
    private mutating func take(_ results: [SegmentVerification.Verified], _ generation: Int) {
        guard state.read(\.trustGeneration) == generation else { return }
        // The file was replaced or removed. It is scanned again after a delay, because some file systems report an
        // identity only once.
        var changed = FolderHints()
        for result in results where result.result == .changed { changed.insert(file: result.segment.id) }
        scanLater(changed)
        for result in results {
            if let segment = result.content { verified.insert(segment, file: result.segment.file) }
        }
        let wall = environment.wall
        state.update { state in
            for result in results {
                state.planner.verified(result.segment.id, file: result.segment.file, as: result.result, wall: wall)
            }
        }
    }

    /// Reads the next runs meanwhile; returns false when the import cannot continue now.
    private mutating func apply(_ runs: [ImportPlanner.Run]) async -> Bool {
        updateOwnPosition()
        let (items, forgotten) = verified.items(of: runs)
        readAgain(forgotten)
        importer.keepReaders(of: items)
        let wall = environment.wall
        let (next, generation) = state.read { ($0.planner.following(runs, wall: wall), $0.trustGeneration) }
        let (importer, known) = (importer, verified.items(of: next.runs).known)
        async let results = importer.readAhead(next.toRead, known: known, behind: runs)
        // Applied segments are announced before the loop waits for a folder that may not answer.
        let goesOn = await apply(items)
        take(await results, generation)
        return goesOn
    }

    private mutating func apply(_ items: [ImportBatch.Item]) async -> Bool {
        do {
            let result = try await importer.apply(items)
            verified.remove(result.finished)
            let wall = environment.wall
            state.update { $0.applied(result, wall: wall) }
            announcer.announce(result)
            if result.counts.changes > 0 { signals.exports.raise() }
            if state.update({ $0.hasAwaited() || $0.mayHaveExports(wall: wall) }) { signals.baselines.raise() }
            records.storeAccepted(of: state, logger: environment.logger)
            nextAttempt = nil
            return true
        } catch {
            return goesOn(after: error)
        }
    }

    private mutating func join(_ baseline: KnownBaseline) async -> Bool {
        do {
            let refusal = try await importer.join(baseline)
            // The join may have continued the store as a fresh writer.
            updateOwnPosition()
            let positions = try records.positions()
            state.update { state in
                state.setPositions(positions)
                state.joined(baseline, refusal: refusal)
            }
            // The joined transactions must be acknowledged.
            if refusal == nil {
                signals.exports.raise()
                signals.baselines.raise()
            }
            nextAttempt = nil
            return true
        } catch {
            return goesOn(after: error)
        }
    }

    /// After a changed segment, requests another reading; after any other error, delays the import and returns false.
    private mutating func goesOn(after error: any Error) -> Bool {
        if let failure = error as? SegmentFailure {
            announcer.announceRetry(after: failure)
            state.update { $0.readAgain(failure.name) }
            return true
        }
        guard !state.isStopping else { return false }
        nextAttempt = now + ImportLoop.retryInterval
        // The import may have advanced positions before it failed.
        let positions = (try? records.positions()) ?? [:]
        announcer.announceFailure(error)
        let wall = environment.wall
        state.update { state in
            state.setPositions(positions)
            state.problems.raise(.importFailed(error, since: wall))
        }
        return false
    }

    // MARK: Compare applied files

    private mutating func audit() async -> Bool {
        let names = scanner.unchecked(limit: ImportLoop.auditLimit)
        let files =
            names.map { SegmentFile(id: $0) } + state.read { $0.planner.uncompared(limit: ImportLoop.auditLimit) }
        guard !files.isEmpty, !state.isStopping else {
            ends = SegmentEnds()
            return false
        }
        let audit = AppliedAudit(configuration: state.configuration, store: environment.store, control: control)
        let (findings, refused, found) = await audit.compare(files, ends)
        ends = found
        let wall = environment.wall
        for finding in findings {
            if let status = state.update({ $0.compared(finding, wall: wall) }) { announcer.announce(status) }
        }
        if state.update({ $0.takeLoss(wall: wall) }) { signals.baselines.raise() }
        scanLater(refused)
        for name in names { scanner.checked(name) }
        control.step()
        return true
    }
}
