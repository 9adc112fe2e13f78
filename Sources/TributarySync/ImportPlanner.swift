package import TransactionLog
package import TributaryChanges

/// Decides what is imported next, what waits for what, and what there is to say of every segment.
///
/// It reads no file, no store and no clock: what a scan has found, what reading a segment has shown, how far the
/// store is and the wall time come in; the next ``Action`` and the states come out. A writer's segments go in
/// sequence, and a segment that cannot go on stops nobody but what comes after it.
package struct ImportPlanner: Sendable {
    package struct Limits: Sendable {
        /// Milliseconds that a clock may be ahead of the wall.
        package var maxAhead: UInt64
        /// Milliseconds after which an incomplete segment counts as damaged.
        package var incompleteGrace: UInt64
        /// Changes past which a batch takes no further segment.
        package var batchChanges = 20_000
        /// Bytes past which a batch takes no further segment.
        package var batchBytes: Int64 = 16 << 20
        /// Segments that are read ahead of their turn, of each writer.
        package var readAhead = 1_024

        package init(maxAhead: UInt64, incompleteGrace: UInt64) {
            self.maxAhead = maxAhead
            self.incompleteGrace = incompleteGrace
        }
    }

    package enum Action: Hashable, Sendable {
        /// Read these as a whole and say what they are with ``verified(_:file:as:wall:)``.
        case verify([WriterListing.Pending])
        /// Apply these, each writer's in this order, as far as the transactions' `seen` allows.
        case apply([Run])
        /// Nothing to do until something is found, or until the given Unix milliseconds.
        case wait(until: UInt64?)
    }

    /// A verified segment whose turn has come.
    package struct Run: Hashable, Sendable {
        package var id: SegmentName
        package var file: FileIdentity
        package var segment: SegmentOutline
    }

    package var limits: Limits
    /// Its segments are never imported.
    package let own: UniqueID
    var writers: [UniqueID: PlannedWriter] = [:]
    /// Writers whose missing transactions nobody waits for.
    package var abandoned: Set<UniqueID> = []
    /// Segments that are taken although their clock is ahead, with the hash that was accepted.
    package private(set) var accepted: [SegmentName: String] = [:]

    package init(own: UniqueID, limits: Limits) {
        self.own = own
        self.limits = limits
    }

    // MARK: What the store knows

    package func position(of writer: UniqueID) -> WriterPosition { writers[writer]?.position ?? WriterPosition() }

    package var positions: [UniqueID: WriterPosition] { writers.mapValues(\.position) }

    /// The store's position of a writer, or its own sequence.
    package mutating func setPosition(_ position: WriterPosition, of writer: UniqueID) {
        writers[writer, default: PlannedWriter(id: writer)].position = position
        _ = writers[writer]?.dropCovered()
    }

    package mutating func setAccepted(_ segments: [SegmentName: String]) { accepted = segments }

    // MARK: What a scan has found

    /// The whole of a writer's folder; what was known of files that are still the same stays known.
    package mutating func found(_ listing: WriterListing, wall: UInt64) {
        // Of the own folder only what contradicts the store is of interest.
        guard listing.writer != own else {
            writers[own, default: PlannedWriter(id: own)].appliedCount = listing.applied.count
            writers[own]?.misfits = listing.misfits
            return
        }
        var writer = writers[listing.writer] ?? PlannedWriter(id: listing.writer)
        writer.replace(listing.pending, wall: wall)
        writer.misfits = listing.misfits
        writer.appliedCount = listing.applied.count
        writer.conflicts = writer.conflicts.filter {
            listing.applied[SegmentBounds(first: $0.key.first, last: $0.key.last)] != nil
        }
        writers[listing.writer] = writer
    }

    /// A writer's folder is gone; its position stays.
    package mutating func vanished(_ writer: UniqueID, wall: UInt64) {
        found(WriterListing(writer: writer), wall: wall)
    }

    /// The writers of which something was found.
    package var foundWriters: [UniqueID] {
        writers.values.filter { !$0.entries.isEmpty || !$0.misfits.isEmpty || $0.appliedCount > 0 }.map(\.id)
    }

    // MARK: What reading has shown

    package mutating func verified(
        _ id: SegmentName,
        file: FileIdentity,
        as outcome: VerificationOutcome,
        wall: UInt64
    ) {
        guard var writer = writers[id.writer] else { return }
        if outcome == .changed {
            writer.remove(id)
        } else {
            writer.update(id) { entry in
                guard entry.file == file else { return }
                entry.knowledge = ImportPlanner.knowledge(outcome, before: entry.knowledge, wall: wall)
            }
        }
        writers[id.writer] = writer
    }

    private static func knowledge(
        _ outcome: VerificationOutcome,
        before: PlannedSegment.Knowledge,
        wall: UInt64
    ) -> PlannedSegment.Knowledge {
        switch outcome {
        case .valid(let segment): return .valid(segment)
        case .incomplete(let reason, let line):
            if case .incomplete(_, _, let since) = before {
                return .incomplete(reason: reason, line: line, since: since)
            }
            return .incomplete(reason: reason, line: line, since: wall)
        case .damaged(let reason, let line): return .bad(.damaged, reason: reason, line: line)
        case .rejected(let reason, let line): return .bad(.rejected, reason: reason, line: line)
        case .unreadable(let reason): return .bad(.rejected, reason: reason, line: nil)
        case .changed: return .unknown
        }
    }

    /// A file at or below the position turned out to say something else than what was applied.
    package mutating func contradicted(_ id: SegmentName, reason: String, wall: UInt64) {
        let since = writers[id.writer]?.conflicts[id]?.since ?? wall
        writers[id.writer]?.conflicts[id] = PlannedWriter.Conflict(
            reason: reason,
            fileName: id.fileName,
            since: since
        )
    }

    // MARK: What was applied

    /// Transactions up to `sequence` are in the store; `partial` tells of a segment of which some still wait.
    package mutating func advanced(_ writer: UniqueID, to sequence: UInt64, partial: WriterPosition.Partial?) {
        writers[writer]?.position.sequence = sequence
        writers[writer]?.position.partial = partial
    }

    /// A segment is applied as a whole.
    package mutating func finished(_ id: SegmentName, sha256: String, wall: UInt64) {
        guard var writer = writers[id.writer] else { return }
        writer.position = WriterPosition(sequence: max(writer.position.sequence, id.last), lastHash: sha256)
        if let gate = writer.gate, gate.sequence <= writer.position.sequence { writer.gate = nil }
        for covered in writer.dropCovered() {
            if covered.id == id {
                writer.appliedCount += 1
            } else if covered.valid != nil, covered.id.overlaps(id) {
                writer.conflicts[covered.id] = PlannedWriter.Conflict(
                    reason: "It overlaps \(id.fileName), which has been applied, with other bounds.",
                    fileName: covered.id.fileName,
                    since: wall
                )
            }
        }
        writers[id.writer] = writer
        accepted[id] = nil
    }

    /// Applying stopped before a transaction because of what it has seen.
    package mutating func stopped(_ id: SegmentName, at gate: SegmentOutline.Gate) {
        writers[id.writer]?.gate = gate
    }

    /// For each segment that waits for blobs the ones that it waits for.
    package var awaitedBlobs: [SegmentName: [String]] {
        var awaited: [SegmentName: [String]] = [:]
        for writer in writers.values {
            for entry in writer.entries {
                guard let missing = entry.valid?.missingBlobs, !missing.isEmpty else { continue }
                awaited[entry.id] = missing
            }
        }
        return awaited
    }

    // MARK: What an administrator asks

    /// Whether there is, or was, anything of this name.
    package func isKnown(_ id: SegmentName) -> Bool {
        guard let writer = writers[id.writer] else { return false }
        return writer.index(of: id) != nil || writer.conflicts[id] != nil || writer.misfits.contains { $0.id == id }
    }

    /// Reads a segment again; false when nothing is known of it.
    package mutating func retry(_ id: SegmentName) -> Bool {
        guard writers[id.writer]?.index(of: id) != nil else {
            return writers[id.writer]?.conflicts.removeValue(forKey: id) != nil
        }
        writers[id.writer]?.update(id) { $0.knowledge = .unknown }
        return true
    }

    /// Takes a held segment although its clock is ahead; nil when it is not known or not verified.
    package mutating func accept(_ id: SegmentName) -> String? {
        guard let index = writers[id.writer]?.index(of: id),
            let hash = writers[id.writer]?.entries[index].valid?.sha256
        else { return nil }
        accepted[id] = hash
        return hash
    }
}
