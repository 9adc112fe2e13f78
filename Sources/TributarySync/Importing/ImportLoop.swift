import Logging
import Synchronization
import TransactionLog
import TributaryChanges

/// The one consumer: looks at the folder, asks the planner, verifies, applies, and waits for the next hint.
struct ImportLoop {
    let service: SyncService
    var scanner: FolderScanner
    var importer: Importer
    private var watcher: DirectoryWatcher?
    private var nextRescan = Duration.zero
    /// What the system refused to show.
    private var retry = FolderRetry()
    /// Time of the service's clock at which a failed import is tried again.
    private var nextAttempt: Duration?

    /// Time after which something that failed is tried again.
    static let retryInterval = Duration.seconds(10)

    init(service: SyncService) {
        self.service = service
        let path = service.configuration.logs
        scanner = FolderScanner(path: path, own: service.own)
        importer = Importer(replica: service.replica, own: service.own, control: service.control)
        watch()
    }

    /// Asks the system to tell of changes, if it does not do so yet; it may have refused for a while only.
    private mutating func watch() {
        guard watcher == nil else { return }
        do throws(FolderProblem) {
            watcher = try DirectoryWatcher(path: scanner.path, signal: service.importSignal)
            service.state.withLock { $0.problems[.watchFailed] = nil }
        } catch {
            let wall = service.wall
            service.state.withLock {
                $0.raise(
                    .watchFailed,
                    wall: wall,
                    detail: error.description,
                    hint: "The folder is looked at every 30 s instead, and watched once the system allows it."
                )
            }
        }
    }

    /// Runs until the service stops; blocks the thread that it is on while it looks at the folder.
    mutating func run() async {
        let work = service.control.work
        work.begin()
        defer { work.end() }
        var deadline: UInt64?
        // Requests for which the whole folder has been looked at.
        var seen = 0
        while !service.isStopping {
            let asked = service.requestCount
            if asked > seen {
                service.look(everywhere: true)
                // Whoever asks may have made room: what failed is tried again now.
                nextAttempt = nil
            }
            seen = asked
            service.endPauseWhenDue()
            deadline = await drain()
            service.announceStates()
            guard await !audit() else { continue }
            // Whoever asked hears also of forks of what was applied.
            service.answerRequests(seen)
            seen = 0
            let rest = rest(until: deadline)
            work.end()
            await service.importSignal.wait(atMost: rest, clock: service.clock)
            work.begin()
        }
    }

    /// Goes on until there is nothing to do; the wall time at which there may be.
    private mutating func drain() async -> UInt64? {
        while !service.isStopping {
            followHints()
            let wall = service.wall
            let (action, isPaused) = service.state.withLock { ($0.planner.next(wall: wall), $0.isPaused) }
            switch action {
            case .verify(let pending):
                guard await verify(pending) else { return nil }
            case .apply(let runs):
                guard !isPaused, nextAttempt.map({ $0 <= service.clock.now() }) ?? true else { return nil }
                guard await apply(runs) else { return nil }
            case .wait(let until):
                if !isPaused { service.state.withLock { $0.initialImportComplete = true } }
                return until
            }
        }
        return nil
    }

    // MARK: Looking

    private mutating func followHints() {
        var hints = watcher?.takeHints() ?? FolderHints()
        hints.formUnion(service.takeHints())
        hints.formUnion(retry.take(now: service.clock.now()))
        if service.clock.now() >= nextRescan { hints.noteEverything() }
        guard !hints.isEmpty else { return }
        if hints.isEverything {
            watch()
            nextRescan = service.clock.now() + rescanInterval
        }
        scan(hints)
    }

    private mutating func scan(_ hints: FolderHints) {
        let wall = service.wall
        if hints.isEverything { watcher?.watchRoot() }
        service.refreshOwnPosition()
        let positions = service.positions
        let watcher = watcher
        let control = service.control
        let scan = scanner.scan(hints, wall: wall) {
            positions[$0]?.sequence ?? 0
        } watch: {
            control.step()
            watcher?.watch($0)
        }
        control.step()
        let isLimited = watcher?.isLimited ?? false
        service.note(scan, isWhole: hints.isEverything, isLimited: isLimited)
        service.noteOwnFiles(scan)
        retry.note(scan.retry, now: service.clock.now())
        recheckBlobs(hints)
    }

    private mutating func recheckBlobs(_ hints: FolderHints) {
        let awaited = service.state.withLock { $0.planner.awaitedBlobs }
            .filter { hints.isEverything || hints.blobs.contains($0.key.writer) }
        guard !awaited.isEmpty else { return }
        guard let logs = try? LogFolder(path: scanner.path) else {
            return retry.note(hints, now: service.clock.now())
        }
        let search = BlobSearch(logs: logs)
        for (id, names) in awaited {
            let absent = search.absent(names, writer: id.writer)
            // All that were listed have come: the segment is read again, for there may be more than were listed.
            if absent.isEmpty { service.state.withLock { _ = $0.planner.retry(id) } }
        }
    }

    private var rescanInterval: Duration {
        let setting = service.configuration.rescan
        if case .every(let interval) = setting { return interval }
        let isReliable = watcher.map { !$0.isLimited } ?? false
        return isReliable && !FileSystemKind.isRemote(FileSystemKind.at(scanner.path)) ? .seconds(600) : .seconds(30)
    }

    private func rest(until deadline: UInt64?) -> Duration? {
        var rest = nextRescan - service.clock.now()
        let deferrals = service.state.withLock(\.journaledDeferrals.due)
        for due in [retry.due, deferrals].compactMap(\.self) { rest = min(rest, due - service.clock.now()) }
        if let nextAttempt { rest = min(rest, nextAttempt - service.clock.now()) }
        let wall = service.wall
        for due in [deadline, service.state.withLock(\.pausedUntil), service.nextGapDue(wall: wall)].compactMap(\.self)
        {
            rest = min(rest, .milliseconds(due > wall ? due - wall : 0))
        }
        return max(rest, .milliseconds(1))
    }

    // MARK: Importing

    /// False when it cannot go on now.
    private mutating func verify(_ pending: [WriterListing.Pending]) async -> Bool {
        let positions = service.positions
        do {
            let results = try await importer.verify(
                pending,
                configuration: service.configuration,
                positions: positions
            )
            let wall = service.wall
            // Another file than was found, or none: what is there is found out anew, but not at once, since some file
            // systems never show a file twice as the same.
            var changed = FolderHints()
            for (found, outcome) in results where outcome == .changed { changed.note(file: found.id) }
            retry.note(changed, now: service.clock.now())
            service.state.withLock { state in
                for (found, outcome) in results {
                    state.planner.verified(found.id, file: found.file, as: outcome, wall: wall)
                }
            }
            return true
        } catch {
            failed(error)
            return false
        }
    }

    private mutating func apply(_ runs: [ImportPlanner.Run]) async -> Bool {
        service.refreshOwnPosition()
        let abandoned = service.state.withLock { state in
            state.isImporting = true
            return state.planner.abandoned
        }
        defer { service.state.withLock { $0.isImporting = false } }
        do {
            let (outcome, forgotten) = try await importer.apply(
                runs,
                configuration: service.configuration,
                positions: service.positions,
                abandoned: abandoned,
                wall: service.wall
            )
            service.note(outcome, runs: runs, forgotten: forgotten)
            nextAttempt = nil
            return true
        } catch let error as SegmentFailure {
            service.logger.notice("segment is to be read again", metadata: ["reason": "\(error.error)"])
            service.state.withLock { _ = $0.planner.retry(error.name) }
            service.look(at: error.name)
            return true
        } catch {
            failed(error)
            return false
        }
    }

    private mutating func failed(_ error: any Error) {
        guard !service.isStopping else { return }
        nextAttempt = service.clock.now() + ImportLoop.retryInterval
        let wall = service.wall
        service.reloadPositions()
        service.logger.error("import failed", metadata: ["reason": "\(ErrorText.text(of: error))"])
        service.state.withLock {
            $0.raise(
                .importFailed,
                wall: wall,
                detail: "Importing failed: \(ErrorText.text(of: error))",
                hint:
                    "It is tried again every 10 s. Give the store's disk room, and the daemon the right to write there."
            )
        }
    }

    // MARK: Comparing what was applied

    /// Compares the end lines of some applied files with the store; true while there are more.
    private mutating func audit() async -> Bool {
        let names = scanner.unchecked(limit: 256)
        guard !names.isEmpty, !service.isStopping else { return false }
        let audit = AppliedAudit(
            path: scanner.path,
            store: service.replica.store,
            own: service.own,
            control: service.control
        )
        let (findings, refused) = await audit.compare(names)
        for finding in findings { service.note(finding) }
        retry.note(refused, now: service.clock.now())
        for name in names { scanner.checked(name) }
        service.control.step()
        return true
    }
}
