import Logging
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryStore

/// Only the import loop uses it, because it may wait for the log folder.
struct ImportAnnouncer {
    let service: SyncService
    private(set) var gaps = JournaledGaps()
    private(set) var deferred = JournaledDeferrals()

    private var environment: SyncEnvironment { service.environment }
    private var state: SyncStateOwner { service.state }
    private var events: Broadcast<SegmentStatus> { service.events }
    private var logger: Logger { environment.logger }

    // MARK: Folder

    func announce(_ change: SyncProblems.FolderChange) {
        for problem in change.begun {
            logger.warning(
                problem.code == .logsMisnamed ? "misnamed, not read" : "log folder cannot be read",
                metadata: ["folder": "\(problem.path)", "reason": "\(problem.reason)"]
            )
        }
        for problem in change.ended {
            logger.info(
                problem.code == .logsMisnamed ? "misnamed no more" : "log folder can be read again",
                metadata: ["folder": "\(problem.path)"]
            )
        }
    }

    // MARK: Imports

    func announceInitialImport() {
        logger.notice("the initial import is complete", metadata: state.read(\.progress.imported).journalMetadata)
        service.initialImport.finish()
    }

    mutating func announce(_ result: ImportBatch.Result) {
        let wall = environment.wall
        for name in result.finished { events.send(SegmentStatus(id: name, state: .applied, since: wall)) }
        if result.counts.transactions > 0 {
            logger.debug("imported", metadata: result.counts.journalMetadata)
            environment.activity.imported(result.counts, from: result.names, in: .now - result.began)
        }
        deferred.insert(result.finished)
        announceDeferrals()
    }

    func announce(_ found: KnownBaselines, after former: KnownBaselines) {
        let baselines = found.refused.map { ($0.key.path, $0.value, former.refused[$0.key]) }
        let comparisons = found.refusedComparisons.map { ($0.key.path, $0.value, former.refusedComparisons[$0.key]) }
        for (path, refusal, known) in (baselines + comparisons).sorted(by: { $0.0 < $1.0 }) where known != refusal {
            logger.log(
                level: refusal.isIncomplete ? .info : .warning,
                "file of a baseline is not used",
                metadata: ["file": "\(path)", "reason": "\(refusal.reason)"]
            )
        }
    }

    func announce(_ status: SegmentStatus) {
        logger.error(
            "segment differs from the applied segment",
            metadata: ["segment": "\(status.file)", "reason": "\(status.reason)"]
        )
        events.send(status)
    }

    func announceRetry(after failure: SegmentFailure) {
        logger.notice("segment is to be read again", metadata: ["reason": "\(failure.error)"])
    }

    func announceFailure(_ error: any Error) {
        logger.error("import failed", metadata: ["reason": "\(ErrorText.text(of: error))"])
    }

    // MARK: States

    mutating func announceStates() {
        let wall = environment.wall
        let changed = state.update { $0.planner.announce(wall: wall) }
        for status in changed where status.state != .waiting {
            logger.log(
                level: status.state == .incomplete ? .info : .warning,
                "segment is not applied",
                metadata: [
                    "segment": "\(status.file)", "state": "\(status.state.rawValue)", "reason": "\(status.reason)",
                ]
            )
        }
        announceGaps(wall: wall)
        announceDeferrals()
        for status in changed { events.send(status) }
    }

    func nextGapDue() -> WallTime? {
        let wall = environment.wall
        let (open, grace) = state.read { ($0.planner.gaps(wall: wall), $0.planner.limits.incompleteGrace) }
        return gaps.nextDue(open, wall: wall, grace: grace)
    }

    private mutating func announceGaps(wall: WallTime) {
        var journaled = gaps
        // Both are read under one lock: otherwise a gap that closes in between would be treated as logged.
        let (opened, closed) = state.read { state in
            let open = state.planner.gaps(wall: wall)
            let change = journaled.update(open, wall: wall, grace: state.planner.limits.incompleteGrace)
            return (
                change.opened.compactMap { state.planner.status(ofGapOf: $0.id.writer, wall: wall) },
                change.closed.map { ($0, hasVanished: state.planner.hasVanished($0)) }
            )
        }
        gaps = journaled
        for status in opened {
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

    // MARK: Deferrals

    var deferralsDue: Duration? { deferred.due }

    private mutating func announceDeferrals() {
        let clock = environment.clock
        let start = clock.now()
        guard let due = deferred.due, due <= start else { return }
        do {
            let names = deferred.names
            let (found, newest) = try service.deferrals.deferred(in: names, after: deferred.journaledThrough)
            for status in found { log(deferralsOf: status) }
            let isUnderWay = state.read { $0.planner.positions.values.contains { $0.partial != nil } }
            deferred.finish(names, newest: isUnderWay ? nil : newest)
            deferred.rest(afterLookFrom: start, to: clock.now())
        } catch {
            logger.warning("deferred values cannot be listed", metadata: ["reason": "\(ErrorText.text(of: error))"])
            deferred.rest(afterFailureAt: clock.now())
        }
    }

    private func log(deferralsOf status: SegmentStatus) {
        guard let first = service.deferrals.locatedBlocking(status.deferredValues).first else { return }
        logger.warning(
            "values of a segment are deferred",
            metadata: [
                "segment": "\(status.id.path)", "values": "\(status.deferred)",
                "unknownObjects": "\(status.unknownObjects)", "first": "\(first.text)",
            ]
        )
    }
}

/// Applied segments with deferred values that are not logged yet.
///
/// A search visits all deferred writes of the store, so searches take at most a twentieth of the time.
struct JournaledDeferrals {
    private static let restFactor = 20

    private(set) var names: Set<SegmentName> = []
    private(set) var journaledThrough: Int64 = 0
    private var nextLook = Duration.zero

    var due: Duration? { names.isEmpty ? nil : nextLook }

    mutating func insert(_ applied: [SegmentName]) { names.formUnion(applied) }

    /// `newest` is nil while a segment is partly applied, because the segment is logged when it is finished.
    mutating func finish(_ journaled: Set<SegmentName>, newest: Int64?) {
        names.subtract(journaled)
        if let newest { journaledThrough = newest }
    }

    private static let retryInterval = Duration.seconds(10)

    mutating func rest(afterLookFrom start: Duration, to end: Duration) {
        nextLook = end + (end - start) * JournaledDeferrals.restFactor
    }

    mutating func rest(afterFailureAt end: Duration) { nextLook = end + JournaledDeferrals.retryInterval }
}

struct JournaledGaps {
    private var waiting: [UniqueID: SegmentName] = [:]

    mutating func update(
        _ gaps: [WriterGap],
        wall: WallTime,
        grace: Duration
    ) -> (opened: [WriterGap], closed: [SegmentName]) {
        let late = gaps.filter { wall >= $0.due(grace: grace, wall: wall) }
        let opened = late.filter { waiting[$0.id.writer] == nil }
        var closed = waiting
        for gap in gaps { closed[gap.id.writer] = nil }
        for writer in closed.keys { waiting[writer] = nil }
        for gap in late { waiting[gap.id.writer] = gap.id }
        return (opened, closed.values.sorted())
    }

    func nextDue(_ gaps: [WriterGap], wall: WallTime, grace: Duration) -> WallTime? {
        gaps.lazy.filter { waiting[$0.id.writer] == nil }.map { $0.due(grace: grace, wall: wall) }.min()
    }
}
