import TransactionLog
package import TributaryChanges

extension ImportPlanner {
    enum Block: Hashable, Sendable {
        case gap
        case unusable(SegmentBounds)
        case held(until: WallTime)
        case untrusted(String)
        case blobs([String])
        case dependencies(SegmentSummary.UnmetDependencies)
        /// Awaited even if it is abandoned: a store that has a writer's transactions always has its predecessor's.
        case predecessor(Incarnation.Predecessor)
    }

    enum Verdict: Hashable, Sendable {
        case read([SegmentBounds])
        case ready(SegmentBounds, through: UInt64)
        case blocked([Waiting])

        /// A waiting segment; `bounds` is nil when no segment with the next transaction can be used.
        struct Waiting: Hashable, Sendable {
            var bounds: SegmentBounds?
            var block: Block
        }
    }

    /// O(w log w), and O(log n) for each segment of the batch and each awaited transaction; other segments cost nothing.
    package mutating func next(wall: WallTime) -> Action {
        let joining = baselines.next(
            positions,
            isBeginning: isBeginning,
            isMissing: { [self] in isMissing($0, of: $1, wall: wall) },
            isGone: isGone,
            wall: wall,
            limits.incompleteGrace
        )
        if case .join(let baseline) = joining { return .join(baseline) }
        let plan = plan(from: SupposedPositions(known: positions), limits, wall: wall)
        looks += plan.looks
        segmentLooks += plan.segmentLooks
        var deadline = plan.deadline
        if !plan.toRead.isEmpty { return .verify(plan.toRead) }
        if !plan.runs.isEmpty { return .apply(plan.runs) }
        let ahead = readAhead(wall: wall)
        if !ahead.isEmpty { return .verify(ahead) }
        if case .wait(let until) = joining { deadline = [deadline, until].compactMap(\.self).min() }
        let retry = unsettled.deadline(after: wall, grace: limits.incompleteGrace)
        return .wait(until: [deadline, retry].compactMap(\.self).min())
    }

    /// The batch after these runs, which the caller may verify and read while the runs are applied.
    func following(_ runs: [Run], wall: WallTime) -> BatchPlan {
        var supposed = SupposedPositions(known: positions)
        for run in runs {
            supposed[run.id.writer] = WriterPosition(sequence: run.id.last)
        }
        var limits = limits
        limits.batchSegments = min(limits.batchSegments, ImportPlanner.followingSegments)
        return plan(from: supposed, limits, wall: wall)
    }

    /// Each segment that is read ahead takes memory, however small it is.
    private static let followingSegments = 64

    /// Takes one segment of each writer in turn, so that no writer starves another.
    ///
    /// O(w log w), and O(log n) for each planned segment, each segment that overlaps it, and each awaited transaction.
    func plan(from positions: SupposedPositions, _ limits: Limits, wall: WallTime) -> BatchPlan {
        var plan = BatchPlan(limits: limits, positions: positions)
        var waiting = AwaitedTransactions()
        // A segment has a waiter for each of the ways in which it can continue its writer.
        var waiters: [SegmentName] = []
        var holders: [UniqueID: Holders] = [:]
        var queue = pendingWriters.sorted()
        while plan.looks < queue.count, !plan.isFull {
            let id = queue[plan.looks]
            plan.looks += 1
            guard let writer = writers[id] else { continue }
            let goesOn: Bool
            switch verdict(writer, &holders[id, default: Holders()], positions: plan.positions, wall: wall) {
            case .read(let found): goesOn = plan.read(found.compactMap { writer[$0] })
            case .ready(let bounds, let through):
                goesOn = writer[bounds].map { plan.apply($0, through: through) } ?? false
            case .blocked(let found):
                for segment in found {
                    if case .held(let until) = segment.block { plan.deadline = min(plan.deadline ?? until, until) }
                    guard let bounds = segment.bounds else { continue }
                    for needs in awaited(segment.block, by: id, plan.positions) {
                        waiting.insert(waiters.count, awaiting: needs)
                        waiters.append(writer.name(bounds))
                    }
                }
                goesOn = false
            }
            guard goesOn else { continue }
            queue.append(id)
            for name in waiting.reached(plan.positions[id].sequence, of: id).map({ waiters[$0] }) {
                let isWoken = holders[name.writer]?.wake(name.bounds) ?? false
                if isWoken, name.writer != id { queue.append(name.writer) }
            }
        }
        plan.segmentLooks = holders.values.reduce(0) { $0 + $1.looks }
        return plan
    }

    /// Each alternative ends the waiting: the needed transactions arrive, or another segment brings the waiting one.
    private func awaited(_ block: Block, by writer: UniqueID, _ positions: SupposedPositions) -> [[UniqueID: UInt64]] {
        switch block {
        case .dependencies(let unmet):
            [unmet.needs.filter { isUnmet($0, $1, positions) }, [writer: unmet.sequence]]
        case .predecessor(let after): [[after.writer: after.sequence], [writer: 1]]
        case .gap, .unusable, .held, .untrusted, .blobs: []
        }
    }

    private func isMissing(_ sequence: UInt64, of writer: UniqueID, wall: WallTime) -> Bool {
        guard let planned = writers[writer] else { return true }
        return !planned.order.holders(of: sequence).contains { mayBeApplied($0, of: planned, wall: wall) }
    }

    private func mayBeApplied(_ bounds: SegmentBounds, of writer: PlannedWriter, wall: WallTime) -> Bool {
        switch writer[bounds]?.knowledge {
        // A forked segment is not missing: a baseline may have different transactions with the same numbers.
        case .bad(let state, _, _)?: state == .forked
        case .incomplete(_, _, let since)?: !limits.isLate(since: since, wall: wall)
        case .unknown?, .unreadable?, .valid?, nil: untrusted(writer, bounds) == nil
        }
    }

    /// False if an earlier segment is there, because this segment may still arrive; a step for each untrusted segment.
    private func isGone(through sequence: UInt64, of id: UniqueID) -> Bool {
        // A folder that does not exist yet may get them.
        guard let writer = writers[id] else { return false }
        return writer.appliedCount == 0
            && writer.order.slice().lazy.filter { untrusted(writer, $0.bounds) == nil }.prefix(1)
                .allSatisfy { $0.bounds.first > sequence }
    }

    /// Whether a baseline has a transaction that is neither applied, nor in a segment, nor abandoned; O(w).
    func lacks(_ vector: VersionVector, wall: WallTime) -> Bool {
        vector.entries.contains { writer, sequence in
            let applied = position(of: writer).sequence
            guard !abandoned.contains(writer), sequence > applied else { return false }
            return isMissing(applied.addingSaturating(1), of: writer, wall: wall)
        }
    }

    /// One step for each segment that contains the writer's next transaction.
    func verdict(_ writer: PlannedWriter, positions: SupposedPositions, wall: WallTime) -> Verdict {
        var holders = Holders()
        return verdict(writer, &holders, positions: positions, wall: wall)
    }

    /// A partly applied segment goes first, then the segment with the greatest last transaction.
    ///
    /// A segment that has to wait does not block the others, because it may wait for transactions that nobody has.
    private func verdict(
        _ writer: PlannedWriter,
        _ holders: inout Holders,
        positions: SupposedPositions,
        wall: WallTime
    ) -> Verdict {
        let position = positions[writer.id]
        let (next, overflow) = position.sequence.addingReportingOverflow(1)
        guard !overflow else { return .blocked([Verdict.Waiting(block: .gap)]) }
        var (unread, unusable): ([SegmentBounds], SegmentBounds?) = ([], nil)
        var reason: String?
        for entry in writer.slice(from: holders.met) {
            let bounds = entry.id.bounds
            guard bounds.first <= next else { break }
            holders.met += 1
            guard bounds.last >= next else { continue }
            holders.looks += 1
            if entry.isUnread(wall: wall) {
                unread.append(bounds)
            } else if entry.valid == nil {
                unusable = unusable ?? bounds
            } else if let untrusted = untrusted(writer, bounds) {
                reason = reason ?? untrusted
            } else {
                holders.open.append(bounds)
            }
        }
        guard unread.isEmpty else { return .read(unread) }
        guard !holders.open.isEmpty else {
            let block = reason.map { Block.untrusted($0) } ?? unusable.map { Block.unusable($0) } ?? .gap
            return .blocked([Verdict.Waiting(block: block)])
        }
        var found: [Verdict.Waiting] = []
        holders.sort(begun: position.partial?.bounds)
        while let bounds = holders.open.popLast() {
            guard bounds.last >= next else { continue }
            holders.looks += 1
            let verdict = self.verdict(on: bounds, of: writer, positions: positions, wall: wall)
            switch verdict {
            case .blocked(let blocks):
                found += blocks
                holders.waiting.insert(bounds)
            case .ready(_, let through):
                if through < bounds.last { holders.open.append(bounds) }
                return verdict
            case .read: return verdict
            }
        }
        return .blocked(found)
    }

    private func verdict(
        on bounds: SegmentBounds,
        of writer: PlannedWriter,
        positions: SupposedPositions,
        wall: WallTime
    ) -> Verdict {
        let position = positions[writer.id]
        func blocked(_ block: Block) -> Verdict { .blocked([Verdict.Waiting(bounds: bounds, block: block)]) }
        guard let segment = writer[bounds]?.valid else { return blocked(.gap) }
        let id = writer.name(bounds)
        guard position.isCompared(bounds, sha256: segment.sha256, through: segment.comparedThrough) else {
            // It is compared when all planned transactions of the writer are applied.
            return position.sequence == self.position(of: writer.id).sequence ? .read([bounds]) : blocked(.gap)
        }
        // The first applied segment of a writer determines the writer's store. The other segments are judged after
        // that.
        if segment.isAuthorClaimed, position.sequence > 0 {
            return self.position(of: writer.id).sequence > 0 ? .read([bounds]) : blocked(.gap)
        }
        if let until = heldUntil(id, segment, wall: wall) { return blocked(.held(until: until)) }
        guard segment.missingBlobs.isEmpty else { return blocked(.blobs(segment.missingBlobs)) }
        return order(id, segment, of: writer, positions)
    }

    func isNext(_ entry: PlannedSegment, of writer: PlannedWriter, _ positions: SupposedPositions) -> Bool {
        guard entry.id.bounds.holds(positions[writer.id].sequence.addingSaturating(1)), let segment = entry.valid,
            case .ready = order(entry.id, segment, of: writer, positions)
        else { return false }
        return true
    }

    private func order(
        _ id: SegmentName,
        _ segment: SegmentSummary,
        of writer: PlannedWriter,
        _ positions: SupposedPositions
    ) -> Verdict {
        let position = positions[writer.id]
        if let after = segment.after, position.sequence == 0, positions[after.writer].sequence < after.sequence {
            return .blocked([Verdict.Waiting(bounds: id.bounds, block: .predecessor(after))])
        }
        return limit(id, [writer.unmet, segment.unmet].compactMap(\.self), positions: positions)
    }

    private func limit(
        _ id: SegmentName,
        _ dependencies: [SegmentSummary.UnmetDependencies],
        positions: SupposedPositions
    ) -> Verdict {
        let next = positions[id.writer].sequence.addingSaturating(1)
        let first =
            dependencies.filter { dependency in
                dependency.sequence >= next && dependency.sequence <= id.last
                    && dependency.needs.contains { isUnmet($0, $1, positions) }
            }
            .min { $0.sequence < $1.sequence }
        guard let first else { return .ready(id.bounds, through: id.last) }
        return first.sequence == next
            ? .blocked([Verdict.Waiting(bounds: id.bounds, block: .dependencies(first))])
            : .ready(id.bounds, through: first.sequence - 1)
    }

    func unmet(_ dependencies: SegmentSummary.UnmetDependencies, _ positions: SupposedPositions) -> [UnmetDependency] {
        dependencies.needs.filter { isUnmet($0, $1, positions) }.sorted { $0.key < $1.key }.map { writer, sequence in
            .transactions(writer: writer, from: positions[writer].sequence + 1, through: sequence)
        }
    }

    private func isUnmet(_ writer: UniqueID, _ sequence: UInt64, _ positions: SupposedPositions) -> Bool {
        positions[writer].sequence < sequence && !abandoned.contains(writer)
    }

    private func untrusted(_ writer: PlannedWriter, _ bounds: SegmentBounds) -> String? {
        if case .bad(.held, let reason, _)? = writer[bounds]?.knowledge { return reason }
        return writer[bounds]?.valid.flatMap { untrusted(writer.name(bounds), $0) }
    }

    func untrusted(_ id: SegmentName, _ segment: SegmentSummary) -> String? {
        accepted[id] == segment.sha256 ? nil : segment.untrusted?.reason
    }

    /// Nil unless the clock is ahead; a clock that closely follows a published clock of this store is not held.
    func heldUntil(_ clock: HybridClock, of transactions: Int, wall: WallTime) -> WallTime? {
        guard clock.isAhead(of: wall, by: limits.maxAhead), !clock.follows(takenClock, within: transactions) else {
            return nil
        }
        return clock.wallTime.earlier(by: limits.maxAhead)
    }

    func heldUntil(_ id: SegmentName, _ segment: SegmentSummary, wall: WallTime) -> WallTime? {
        accepted[id] == segment.sha256 ? nil : heldUntil(segment.lastClock, of: segment.transactions, wall: wall)
    }

    /// Finds faulty segments early, and tries segments again that could not be read a while ago.
    private mutating func readAhead(wall: WallTime) -> [WriterListing.Pending] {
        let step = ImportPlanner.readAheadStep
        let due = unsettled.due(wall: wall, grace: limits.incompleteGrace, limit: step)
        var found = due.compactMap { writers[$0.writer]?[$0.bounds]?.pending }
        for writer in pendingWriters where found.count < step {
            let unread = writers[writer]?.unread(window: limits.readAhead, limit: step - found.count)
            found += unread?.map(\.pending) ?? []
        }
        return found
    }

    /// Small, so that an applicable segment does not wait long.
    private static let readAheadStep = 32
}

/// The segments with a writer's next transaction, during a single plan; the position only rises.
///
/// Each segment is visited once, and is examined again only when its awaited transactions have arrived.
private struct Holders {
    /// The number of visited segments in the order; the other segments begin later.
    var met = 0
    var open: [SegmentBounds] = []
    /// The segments that wait for transactions, or for something that does not come in this plan.
    var waiting: Set<SegmentBounds> = []
    var looks = 0

    mutating func sort(begun: SegmentBounds?) {
        open.sort { left, right in
            if (left == begun) != (right == begun) { return right == begun }
            return left.last == right.last ? left.first > right.first : left.last < right.last
        }
    }

    mutating func wake(_ bounds: SegmentBounds) -> Bool {
        guard waiting.remove(bounds) != nil else { return false }
        open.append(bounds)
        return true
    }
}

/// A batch under construction: the segments to read and to apply, assuming that all of them succeed.
struct BatchPlan {
    let limits: ImportPlanner.Limits
    private(set) var positions: SupposedPositions
    private(set) var toRead: [WriterListing.Pending] = []
    private(set) var runs: [ImportPlanner.Run] = []
    var deadline: WallTime?
    var looks = 0
    var segmentLooks = 0
    private(set) var changes = 0
    private(set) var bytes: Int64 = 0
    private(set) var last: [UniqueID: SegmentBounds] = [:]

    var isFull: Bool {
        changes >= limits.batchChanges || bytes >= limits.batchBytes
            || toRead.count + runs.count >= limits.batchSegments
    }

    /// If there is a single segment, assumes that it will be valid, and returns true.
    mutating func read(_ entries: [PlannedSegment]) -> Bool {
        for entry in entries {
            toRead.append(entry.pending)
            count(entry)
        }
        guard entries.count == 1, let only = entries.first else { return false }
        positions[only.id.writer] = WriterPosition(sequence: only.id.last)
        return true
    }

    mutating func apply(_ entry: PlannedSegment, through: UInt64) -> Bool {
        guard let segment = entry.valid else { return false }
        let (writer, bounds) = (entry.id.writer, entry.id.bounds)
        if last.updateValue(bounds, forKey: writer) != bounds {
            runs.append(ImportPlanner.Run(id: entry.id, file: entry.file, segment: segment))
            count(entry)
        }
        let partial = WriterPosition.Partial(bounds: bounds, sha256: segment.sha256)
        positions[writer] = WriterPosition(sequence: through, partial: through < bounds.last ? partial : nil)
        return true
    }

    private mutating func count(_ entry: PlannedSegment) {
        changes = changes.addingSaturating(entry.weight)
        bytes = bytes.addingSaturating(entry.file.size)
    }
}
