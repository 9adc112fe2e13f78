import TestSupport
import Testing
import TransactionLog
import TributaryAdmin
import TributaryChanges

@testable import TributaryStore
@testable import TributarySync

/// The state of the service without a service: events come in, actions and the status come out.
@Suite struct SyncStateTests {
    private struct Failure: Error {}

    private let own = PlannerBench.own
    private let writer = PlannerBench.a
    private let wall = PlannerBench.wall
    private var state: SyncState

    init() {
        let configuration = SyncConfiguration(logs: "/logs")
        state = SyncState(
            configuration: configuration,
            planner: ImportPlanner(own: PlannerBench.own, limits: configuration.limits)
        )
    }

    private func name(_ first: UInt64, _ last: UInt64) -> SegmentName { PlannerBench.name(writer, first, last) }

    private func scan(_ names: [SegmentName], problems: [FolderProblem] = []) -> FolderScan {
        var listing = WriterListing(writer: writer)
        listing.pending = names.map {
            WriterListing.Pending(id: $0, file: FileIdentity(FileAttributes(inode: $0.first, size: 100)))
        }
        var scan = FolderScan()
        scan.listings = [listing]
        scan.problems = problems
        return scan
    }

    private mutating func scanned(_ names: [SegmentName], problems: [FolderProblem] = []) -> SyncProblems.FolderChange {
        state.scanned(scan(names, problems: problems), isWhole: true, isLimited: false, wall: wall)
    }

    private mutating func verified(_ segments: [WriterListing.Pending], clock: WallTime? = nil) {
        for segment in segments {
            let result = PlannerBench.valid(segment.id, clock: clock ?? wall)
            state.planner.verified(segment.id, file: segment.file, as: result, wall: wall)
        }
    }

    private mutating func nextAction() -> ImportPlanner.Action {
        let action = state.planner.next(wall: wall)
        if case .wait = action { state.waits() }
        return action
    }

    /// The segments that the planner wants to read; records an issue when it wants anything else.
    private mutating func toVerify() -> [WriterListing.Pending] {
        guard case .verify(let segments) = nextAction() else {
            Issue.record("nothing is to be verified")
            return []
        }
        return segments
    }

    private mutating func toApply() -> [ImportPlanner.Run] {
        guard case .apply(let runs) = nextAction() else {
            Issue.record("nothing is to be applied")
            return []
        }
        return runs
    }

    @Test mutating func aSegmentGoesThroughTheStagesAndShowsInTheStatus() {
        #expect(scanned([name(1, 2)]) == SyncProblems.FolderChange())
        #expect(state.status(wall: wall).segments == [.waiting: 1])
        verified(toVerify())
        let runs = toApply()
        #expect(runs.map(\.id) == [name(1, 2)] && state.status(wall: wall).queue == 1)
        state.progress.isApplying = true
        #expect(state.status(wall: wall).isImporting)
        var result = ImportBatch.Result()
        result.finished = [name(1, 2)]
        result.positions = [writer: 2]
        result.counts = ImportCounts(segments: 1, transactions: 2, changes: 2)
        state.applied(result, wall: wall)
        state.progress.isApplying = false
        let isComplete = state.progress.isInitialImportComplete
        #expect(!isComplete)
        #expect(nextAction() == .wait(until: nil))
        let status = state.status(wall: wall)
        #expect(status.segments == [.applied: 1] && status.queue == 0 && status.imported == result.counts)
        #expect(state.progress.isInitialImportComplete && status.lastImport == wall && !status.isImporting)
        #expect(state.planner.position(of: writer).sequence == 2)
    }

    @Test mutating func theInitialImportIsNotCompleteWhileImportingIsPaused() {
        state.pause = ImportPause(since: 5, until: nil)
        #expect(nextAction() == .wait(until: nil))
        let paused = state.status(wall: wall)
        #expect(!state.progress.isInitialImportComplete && paused.pausedSince == 5)
        #expect(paused.problems.map(\.code) == [.paused])
        state.pause = nil
        _ = nextAction()
        #expect(state.progress.isInitialImportComplete)
    }

    @Test mutating func aFailureIsAProblemUntilABatchIsCommitted() {
        state.problems.raise(.importFailed(Failure(), since: 3))
        state.problems.raise(.importFailed(Failure(), since: 4))
        #expect(state.status(wall: wall).problems.map(\.since) == [3])
        state.applied(ImportBatch.Result(), wall: wall)
        #expect(state.status(wall: wall).problems.isEmpty && state.status(wall: wall).lastImport == nil)
    }

    @Test mutating func anExportEndsTheProblemsOfExports() {
        state.exportFailed(ExportFailure.clockAhead(by: .milliseconds(1)), wall: 3, now: .zero)
        state.exportFailed(Failure(), wall: 4, now: .zero)
        // An export fails for one reason: the former one is over.
        #expect(state.status(wall: wall).problems.map(\.code) == [.exportFailed])
        state.exported(ImportCounts(segments: 1, transactions: 1, changes: 1), withheld: nil, wall: wall)
        #expect(state.status(wall: wall).problems.isEmpty)
    }

    @Test mutating func aFullFolderIsAProblemWhileSomethingWaits() {
        var configuration = state.configuration
        configuration.maxBytes = 1 << 30
        state.configure(configuration)
        state.exported(ImportCounts(), withheld: 3, wall: 3)
        state.exported(ImportCounts(), withheld: 4, wall: 4)
        let problems = state.status(wall: wall).problems
        #expect(problems.map(\.code) == [.folderFull] && problems.map(\.since) == [3])
        #expect(problems.first?.detail.contains("the 1.0 GiB that logs.max_bytes allows: 4 transactions") == true)
        // Another failure does not end it: nobody has looked again.
        state.exportFailed(Failure(), wall: 5, now: .zero)
        #expect(state.status(wall: wall).problems.map(\.code) == [.exportFailed, .folderFull])
        state.exported(ImportCounts(), withheld: nil, wall: 6)
        #expect(state.status(wall: wall).problems.isEmpty && state.withheld == nil)
    }

    @Test mutating func hintsAreHandedOutOnce() {
        _ = state.scans.next(now: .zero)
        state.scans.rescan(at: .seconds(60))
        state.readAgain(name(1, 1))
        #expect(state.scans.next(now: .zero).files == [name(1, 1)])
        #expect(state.scans.next(now: .zero).isEmpty)
        state.scans.insert(FolderHints(everything: true))
        state.readAgain(name(1, 1))
        let hints = state.scans.next(now: .zero)
        #expect(hints.isEverything && hints.files == [name(1, 1)])
        #expect(state.scans.next(now: .zero).isEmpty)
    }

    @Test mutating func acceptedSegmentsAreToBeStoredUntilTheyAre() throws {
        let held = name(1, 1)
        let unknown = Result { () throws(SyncError) in try state.accept(held, wall: wall) }
        #expect(throws: SyncError.noSuchSegment(held)) { try unknown.get() }
        _ = scanned([held, name(2, 2)])
        let segments = toVerify()
        verified(segments, clock: wall.later(by: .milliseconds(7_200_000)))
        #expect(!state.hasAcceptedToStore)
        try state.accept(held, wall: wall)
        #expect(state.hasAcceptedToStore && state.planner.accepted == [held: held.path])
        // Writing them has failed: they are still to be stored.
        #expect(state.hasAcceptedToStore && state.planner.accepted == [held: held.path])
        state.storedAccepted = [held: held.path]
        #expect(!state.hasAcceptedToStore)
        #expect(toApply().map(\.id) == [held])
        var result = ImportBatch.Result()
        result.finished = [held]
        result.positions = [writer: 1]
        state.applied(result, wall: wall)
        #expect(state.hasAcceptedToStore && state.planner.accepted.isEmpty)
    }

    @Test mutating func theFolderStaysWhenSettingsChange() {
        var configuration = SyncConfiguration(logs: "/elsewhere")
        configuration.maxAhead = .seconds(1)
        state.configure(configuration)
        #expect(state.configuration.logs == "/logs" && state.planner.limits.maxAhead == .seconds(1))
    }

    @Test mutating func aWatchThatIsRefusedIsAProblemUntilItSucceeds() {
        state.watched(FolderProblem(code: .watchFailed, path: "/logs", reason: "inotify: x"), wall: 3)
        #expect(state.status(wall: wall).problems.map(\.code) == [.watchFailed])
        state.watched(nil, wall: 4)
        #expect(state.status(wall: wall).problems.isEmpty)
    }

    @Test mutating func segmentsThatAreForgottenAreReadAgain() {
        _ = scanned([name(1, 1)])
        verified(toVerify())
        #expect(toApply().map(\.id) == [name(1, 1)])
        for name in [name(1, 1), name(7, 7)] { state.readAgain(name) }
        #expect(toVerify().map(\.id) == [name(1, 1)])
    }
}
