package import TransactionLog
package import TributaryChanges

// This folder decides the next steps of the import, without any input or output. It keeps the known facts about
// each segment by writer, orders the segments by their dependencies, and gives each segment a status.

/// Decides which segments are imported next, and describes the state of every segment; reads no file, store or clock.
///
/// A segment that cannot be applied stops only the later segments of its writer. Costs are given for `n` unapplied segments
/// of a writer and `w` writers that have some; applied segments cost nothing.
package struct ImportPlanner: Sendable {
    package struct Limits: Sendable {
        package var maxAhead: Duration
        package var incompleteGrace: Duration
        package var batchChanges = 20_000
        package var batchBytes: Int64 = 16 << 20
        /// The importer's cache must be larger than a batch.
        package var batchSegments = 2_048
        package var readAhead = 1_024

        package init(maxAhead: Duration, incompleteGrace: Duration) {
            self.maxAhead = maxAhead
            self.incompleteGrace = incompleteGrace
        }

        func isLate(since: WallTime, wall: WallTime) -> Bool { since.isDue(after: incompleteGrace, at: wall) }
    }

    package enum Action: Hashable, Sendable {
        /// The caller reads these segments completely and reports them to ``verified(_:file:as:wall:)``.
        case verify([WriterListing.Pending])
        /// The caller applies these segments, each writer's in order, as far as the transactions' `seen` allows.
        case apply([Run])
        case join(KnownBaseline)
        /// There is nothing to do until a scan finds something, or until the given wall time.
        case wait(until: WallTime?)
    }

    package struct Run: Hashable, Sendable {
        package var id: SegmentName
        package var file: FileIdentity
        package var segment: SegmentSummary
    }

    package var limits: Limits
    /// The store's own writer; its transactions beyond its position are imported as for any other writer.
    package var own: UniqueID
    var writers: [UniqueID: PlannedWriter] = [:]
    package private(set) var positions: [UniqueID: WriterPosition] = [:]
    private(set) var pendingWriters: Set<UniqueID> = []
    private var withNewUnusableFiles: Set<UniqueID> = []
    var unsettled = UnsettledSegments()
    package var abandoned: Set<UniqueID> = []
    /// Accepted although their clock is ahead, with the accepted hash.
    package var accepted: [SegmentName: String] = [:]
    private(set) var takenClock = HybridClock.zero
    var baselines = PlannedBaselines()
    /// Whether the store began without foreign transactions, and its first import is not complete.
    var isBeginning = false
    package internal(set) var looks = 0
    package internal(set) var segmentLooks = 0

    package init(own: UniqueID, limits: Limits) {
        self.own = own
        self.limits = limits
    }

    /// Records the greatest clock that this store and others have; returns false when it is not greater.
    mutating func take(_ clock: HybridClock) -> Bool {
        guard clock > takenClock else { return false }
        takenClock = clock
        return true
    }

    // MARK: Positions

    package func position(of writer: UniqueID) -> WriterPosition { positions[writer] ?? WriterPosition() }

    func covers(_ vector: VersionVector) -> Bool {
        vector.entries.allSatisfy { position(of: $0.key).sequence >= $0.value }
    }

    /// O(log n), and O(1) for each covered segment; a decreased position costs a step for each read segment.
    package mutating func setPosition(_ position: WriterPosition, of writer: UniqueID) {
        guard positions[writer] != position else { return }
        let former = self.position(of: writer).sequence
        positions[writer] = position
        if position.sequence < former {
            // The transactions that the segments of the writer contradicted have other names now.
            for bounds in writers[writer]?.compareAgain(after: position.sequence) ?? [] {
                learn(SegmentName(writer: writer, bounds), .unknown)
            }
        }
        let covered = dropCovered(writer)
        writers[writer]?.compare(covered)
    }

    private mutating func dropCovered(_ writer: UniqueID) -> [PlannedSegment] {
        let sequence = position(of: writer).sequence
        let covered = writers[writer]?.dropCovered(through: sequence) ?? []
        for entry in covered { unsettled.remove(entry.id) }
        if !covered.isEmpty { updatePending(writer) }
        return covered
    }

    private mutating func updatePending(_ writer: UniqueID) {
        if writers[writer]?.order.count ?? 0 == 0 {
            pendingWriters.remove(writer)
        } else {
            pendingWriters.insert(writer)
        }
    }

    // MARK: Scans

    func appliedCount(of writer: UniqueID) -> Int { writers[writer]?.appliedCount ?? 0 }

    /// The known facts about unchanged files remain; O(n log n) for the files of the listing.
    package mutating func found(_ listing: WriterListing, wall: WallTime) {
        let id = listing.writer
        setUnusableFiles(listing.unusableFiles, of: id, wall: wall)
        writers[id]?.appliedCount = listing.applied.count
        writers[id]?.keepApplied(Set(listing.applied))
        let position = position(of: id).sequence
        let pending = listing.pending.filter { $0.id.last > position }
        let lost = writers[id]?.replace(pending, wall: wall) ?? []
        for name in lost { unsettled.remove(name) }
        updatePending(id)
    }

    /// O(log n) for each file that comes in sequence; other files move bounds, see ``SegmentOrder``.
    package mutating func found(_ change: ListingChange, wall: WallTime) {
        let id = change.writer
        writers[id, default: PlannedWriter(id: id)].appliedCount += change.appliedDifference
        if let unusableFiles = change.unusableFiles { setUnusableFiles(unusableFiles, of: id, wall: wall) }
        for name in change.names where !change.applied.contains(name) { writers[id]?.forget(SegmentFile(id: name)) }
        let position = position(of: id).sequence
        let pending = change.pending.filter { $0.id.last > position }
        let there = Set(pending.map(\.id))
        for name in change.names where !there.contains(name) {
            writers[id]?.remove(name.bounds)
            unsettled.remove(name)
        }
        for file in pending where writers[id]?.insert(file, wall: wall) == true { unsettled.remove(file.id) }
        updatePending(id)
    }

    private mutating func setUnusableFiles(
        _ unusableFiles: [WriterListing.UnusableFile],
        of id: UniqueID,
        wall: WallTime
    ) {
        let others = writers[id, default: PlannedWriter(id: id)].takeCopies(unusableFiles)
        writers[id]?.setUnusableFiles(others, wall: wall)
        if writers[id]?.newUnusableFiles.isEmpty == false { withNewUnusableFiles.insert(id) }
    }

    /// The writer's position stays; O(n).
    package mutating func vanished(_ writer: UniqueID, wall: WallTime) {
        guard writers[writer] != nil else { return }
        found(WriterListing(writer: writer), wall: wall)
    }

    // MARK: Verification

    package mutating func verified(
        _ id: SegmentName,
        file: FileIdentity,
        as result: VerificationResult,
        wall: WallTime
    ) {
        guard let entry = writers[id.writer]?[id.bounds] else { return }
        guard result != .changed else {
            writers[id.writer]?.remove(id.bounds)
            unsettled.remove(id)
            return updatePending(id.writer)
        }
        guard entry.file == file else { return }
        learn(id, ImportPlanner.knowledge(result, before: entry.knowledge, wall: wall))
    }

    private mutating func learn(_ id: SegmentName, _ knowledge: PlannedSegment.Knowledge) {
        writers[id.writer]?.learn(id.bounds, knowledge)
        unsettled.update(id, knowledge)
    }

    private static func knowledge(
        _ result: VerificationResult,
        before: PlannedSegment.Knowledge,
        wall: WallTime
    ) -> PlannedSegment.Knowledge {
        switch result {
        case .valid(let segment): return .valid(segment)
        case .incomplete(let reason, let line):
            if case .incomplete(_, _, let since) = before {
                return .incomplete(reason: reason, line: line, since: since)
            }
            return .incomplete(reason: reason, line: line, since: wall)
        case .bad(let state, let reason, let line): return .bad(state, reason: reason, line: line)
        case .unreadable(let reason):
            return .unreadable(reason: reason, retry: wall.later(by: ImportPlanner.retryInterval))
        case .changed: return .unknown
        }
    }

    static let retryInterval = Duration.seconds(5)

    /// `reason` is nil without a contradiction, and when the key of the file is missing.
    package mutating func compared(_ file: SegmentFile, _ reason: String?, isLocked: Bool = false, wall: WallTime) {
        writers[file.id.writer]?.compared(file, reason, isLocked: isLocked, wall: wall)
    }

    /// One step for each writer and each such file.
    func uncompared(limit: Int) -> [SegmentFile] {
        var found: [SegmentFile] = []
        for writer in writers.values where found.count < limit && !writer.uncompared.isEmpty {
            let position = position(of: writer.id).sequence
            found += writer.uncompared.filter { $0.id.last <= position }.prefix(limit - found.count)
        }
        return found
    }

    // MARK: Application

    /// `partial` is the segment with waiting transactions.
    package mutating func advanced(_ writer: UniqueID, to sequence: UInt64, partial: WriterPosition.Partial?) {
        guard writers[writer] != nil else { return }
        positions[writer, default: WriterPosition()].sequence = sequence
        positions[writer]?.partial = partial
    }

    package mutating func finished(_ id: SegmentName) {
        guard writers[id.writer] != nil else { return }
        let sequence = max(position(of: id.writer).sequence, id.last)
        positions[id.writer] = WriterPosition(sequence: sequence)
        if let unmet = writers[id.writer]?.unmet, unmet.sequence <= sequence { writers[id.writer]?.unmet = nil }
        let covered = dropCovered(id.writer)
        if covered.contains(where: { $0.id == id }) { writers[id.writer]?.appliedCount += 1 }
        writers[id.writer]?.compare(covered.filter { $0.id != id })
        accepted[id] = nil
    }

    package mutating func stopped(_ id: SegmentName, by unmet: SegmentSummary.UnmetDependencies) {
        writers[id.writer]?.unmet = unmet
    }

    mutating func compare(_ id: SegmentName) { writers[id.writer]?.compare(SegmentFile(id: id)) }

    package var missingBlobs: [SegmentName: [String]] { unsettled.blobs }

    // MARK: Requests

    /// Whether the writer has transactions here, has files, or is awaited; one step for each pending writer.
    func isKnown(writer id: UniqueID) -> Bool {
        guard positions[id] == nil, writers[id] == nil else { return true }
        return pendingWriters.contains { pending in
            guard let writer = writers[pending] else { return false }
            if writer.unmet?.needs[id] != nil { return true }
            let next = position(of: pending).sequence.addingSaturating(1)
            return writer.order.holders(of: next).contains { writer[$0]?.valid?.unmet?.needs[id] != nil }
        }
    }

    package func isKnown(_ id: SegmentName) -> Bool {
        guard let writer = writers[id.writer] else { return false }
        return writer[id.bounds] != nil || !writer.conflicts(of: id).isEmpty
            || writer.unusableFiles.contains { $0.id == id }
    }

    package mutating func retry(_ id: SegmentName) -> Bool {
        guard writers[id.writer]?[id.bounds] != nil else { return writers[id.writer]?.compareAgain(id) ?? false }
        learn(id, .unknown)
        return true
    }

    /// O(n log n) for these segments.
    mutating func retryUnreadable() {
        for id in unsettled.unreadable.keys { _ = retry(id) }
    }

    /// `id` is a store or one of its writers; O(n).
    func signers(of id: UniqueID) -> [UntrustedFile] {
        writers.values.flatMap { writer in
            writer.verified.compactMap { writer[$0]?.valid?.untrusted }.filter { writer.id == id || $0.store == id }
        }
    }

    /// For example after a change of the trusted keys; O(n log n).
    package mutating func readAllAgain() {
        for writer in writers.values {
            for bounds in writer.verified + writer.locked { learn(writer.name(bounds), .unknown) }
            writers[writer.id]?.compareLockedAgain()
        }
    }

    /// Although its clock is ahead or its signature is not trusted; returns nil unless the segment is verified.
    package mutating func accept(_ id: SegmentName) -> String? {
        guard let hash = writers[id.writer]?[id.bounds]?.valid?.sha256 else { return nil }
        accepted[id] = hash
        return hash
    }

    // MARK: Announcements

    mutating func drainNewUnusableFiles() -> [(UniqueID, [WriterListing.UnusableFile])] {
        // The loop visits only writers with unusableFiles.
        let found = withNewUnusableFiles
        withNewUnusableFiles = []
        return found.sorted().map { ($0, writers[$0]?.drainNewUnusableFiles() ?? []) }
    }
}

/// The segments that need a later action, found without visiting all segments.
struct UnsettledSegments: Sendable {
    private(set) var blobs: [SegmentName: [String]] = [:]
    /// With the wall time when the missing end line was found.
    private(set) var incomplete: [SegmentName: WallTime] = [:]
    /// Incomplete segments that were read again after their grace, because a segment may grow without an event.
    private var readAfterGrace: [SegmentName: WallTime] = [:]
    /// With the wall time of the next attempt.
    private(set) var unreadable: [SegmentName: WallTime] = [:]

    mutating func update(_ id: SegmentName, _ knowledge: PlannedSegment.Knowledge) {
        let isReadAfterGrace = readAfterGrace[id]
        remove(id)
        switch knowledge {
        case .valid(let segment): if !segment.missingBlobs.isEmpty { blobs[id] = segment.missingBlobs }
        case .incomplete(_, _, let since):
            incomplete[id] = since
            if isReadAfterGrace == since { readAfterGrace[id] = since }
        case .unreadable(_, let retry): unreadable[id] = retry
        case .unknown, .bad: break
        }
    }

    mutating func remove(_ id: SegmentName) {
        if !blobs.isEmpty { blobs[id] = nil }
        if !incomplete.isEmpty { incomplete[id] = nil }
        if !unreadable.isEmpty { unreadable[id] = nil }
        if !readAfterGrace.isEmpty { readAfterGrace[id] = nil }
    }

    /// Unreadable segments, and incomplete segments once after their grace.
    mutating func due(wall: WallTime, grace: Duration, limit: Int) -> [SegmentName] {
        let refused = unreadable.lazy.filter { $0.value <= wall }.map(\.key).prefix(limit)
        var due = Array(refused)
        for (id, since) in incomplete where since.isDue(after: grace, at: wall) && readAfterGrace[id] != since {
            guard due.count < limit else { break }
            readAfterGrace[id] = since
            due.append(id)
        }
        return due
    }

    func deadline(after wall: WallTime, grace: Duration) -> WallTime? {
        let damaged = incomplete.values.lazy.map { $0.later(by: grace) }.filter { $0 > wall }.min()
        let retry = unreadable.values.lazy.filter { $0 > wall }.min()
        return [damaged, retry].compactMap(\.self).min()
    }
}
