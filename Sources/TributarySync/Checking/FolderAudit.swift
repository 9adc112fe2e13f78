import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryStore

/// Compares the log folder with a state of the store: reads every segment, and merges the applied ones into a new store.
struct FolderAudit {
    /// Listed before ``state`` was read.
    let listing: LogListing
    let state: CheckedState
    let covered: VersionVector
    /// The transactions in endorsed baselines; the other baselines in ``covered`` were compared only by this check.
    let endorsed: VersionVector
    let claimed: VersionVector
    let bases: [KnownBaseline]
    let trust: (keys: StoreTrust, store: Store)
    let rebuild: ScratchRebuild?
    let scratch: LogFolder
    private(set) var report: CheckReport
    private(set) var unendorsed = 0
    /// Publishes an own segment again if its file is missing or damaged, or returns false; nil without repairs.
    let republish: ((SegmentName, String) throws -> Bool)?
    let rebuilding: String
    /// Called before each segment with the number of segments so far; throws to end the audit.
    let step: (Int) throws -> Void
    /// The reason why the rebuilt store lacks transactions; nil when it is complete.
    private(set) var obstacle: CheckReport.Comparison?
    private(set) var ends = SegmentEnds()

    /// O(n log n) for the segments and the writers, besides the bytes of the segments.
    mutating func run() throws {
        for (writer, error) in listing.unreadable.sorted(by: { $0.key < $1.key }) { addUnreadable(writer, error) }
        if trust.keys.mode == .known { report.untrusted = 0 }
        defer { addUnendorsed() }
        for base in bases { try begin(with: base) }
        for writer in state.writers where listing.unreadable[writer.id] == nil { try audit(writer) }
        let known = Set(state.writers.map(\.id))
        for (writer, names) in listing.names.sorted(by: { $0.key < $1.key }) where !known.contains(writer) {
            for name in names { try auditUnapplied(name) }
        }
        report.unexported = state.unexported
    }

    private mutating func begin(with base: KnownBaseline) throws {
        do {
            try rebuild?.join(base, logs: listing.logs)
        } catch  where error is SegmentError || error is BaselineJoinError {
            let reason = (error as? SegmentError)?.reason ?? "\(error)"
            setObstacle(.segmentsMissing, "The baseline \(base.name.path) cannot be used: \(reason).")
        }
    }

    // MARK: Writers

    private mutating func audit(_ writer: CheckedState.Writer) throws {
        // The position of the rebuilt store, and the end of the transactions with a known file.
        var (position, reached) = (bases.map { $0.vector[writer.id] }.max() ?? 0, covered[writer.id])
        for record in writer.records {
            if record.first > reached.addingSaturating(1) { addHole(writer, from: reached + 1, to: record.first) }
            reached = max(reached, record.last)
            let follows = record.last > position && record.first <= position.addingSaturating(1)
            let isMerged = try audit(record.name, record.sha256, through: record.last, follows: follows)
            if isMerged { position = record.last }
        }
        if let partial = writer.partial, partial.name.last > position,
            partial.name.first <= position.addingSaturating(1)
        {
            if try audit(partial.name, partial.sha256, through: writer.sequence, follows: true) {
                position = max(position, writer.sequence)
            }
            reached = max(reached, writer.sequence)
        }
        for tail in state.tails[writer.id] ?? [] {
            let file = try scratch.open(tail)
            let segment = try SegmentVerifier().verify(file, name: tail)
            if tail.first <= position.addingSaturating(1), try mergeAgain(segment, file, through: tail.last) {
                position = max(position, tail.last)
            }
            reached = max(reached, tail.last)
        }
        if reached < writer.sequence { addHole(writer, from: reached + 1, to: writer.sequence + 1) }
        if position < writer.sequence {
            setObstacle(
                .segmentsMissing,
                "Segments of the writer \(writer.id) are not in the log folder as they were applied."
            )
        }
        try auditOthers(of: writer)
    }

    /// Returns false when the segment is not merged into the rebuilt store.
    private mutating func audit(
        _ name: SegmentName,
        _ sha256: String,
        through last: UInt64,
        follows: Bool
    ) throws -> Bool {
        try step(report.segments)
        do {
            return try merge(name, sha256, through: last, follows: follows)
        } catch let error as SegmentError where error.kind == .missing && last <= endorsed[name.writer] {
            return false
        } catch let error as SegmentError {
            // A segment that is applied only in part was written by another writer, so this store cannot publish it.
            let isOwn = last == name.last && error.isLoss && state.exporters.contains(name.writer)
            let refusal = isOwn ? try restore(name, sha256, after: error) : nil
            if isOwn, refusal == nil {
                do {
                    return try merge(name, sha256, through: last, follows: follows)
                } catch let error as SegmentError {
                    add(error, to: name)
                    return false
                }
            }
            if error.kind == .missing, refusal?.isFailure != true {
                if last <= covered[name.writer] { return false }
                if last <= claimed[name.writer] {
                    unendorsed += 1
                    return false
                }
            }
            add(error, to: name, refusal)
            return false
        }
    }

    /// Why an own segment that is missing or damaged was not published again, and what helps.
    struct Refusal: Error {
        var reason: String?
        var hint: String
        /// Whether the store has the lines and has tried to publish them.
        var isFailure = false
    }

    /// Publishes an own segment again that is missing or damaged; a failure concerns only this segment.
    ///
    /// - Returns: Nil when it was published.
    private mutating func restore(
        _ name: SegmentName,
        _ sha256: String,
        after loss: SegmentError
    ) throws -> Refusal? {
        let isKept = try trust.store.read {
            try $0.outbox.keepsLines(of: name.writer, name.first...max(name.first, name.last))
        }
        guard isKept else { return refusal(name, because: "This store no longer has its lines", after: loss) }
        let again = (listing.logs.isFolder(name) ? "rm -r \(path(name.path).shellWord) && " : "") + FolderAudit.repair
        guard let republish else { return Refusal(hint: "To publish it again: \(again)") }
        do {
            guard try republish(name, sha256) else {
                return refusal(name, because: "The lines in this store give another segment", after: loss)
            }
            report.repairs.append("The segment \(name.path) was published again from the outbox.")
            return nil
        } catch let refusal as Refusal {
            return refusal
        } catch  where error is SegmentError || error is StoreError {
            let hint =
                if let taken = error as? SegmentError, taken.kind == .forked {
                    "If nobody needs it: rm -r \(taken.file.shellWord) && \(FolderAudit.repair)"
                } else if let error = error as? StoreError, !error.isInputOutput {
                    "The store cannot be read: see the other problems of this check."
                } else {
                    FolderAudit.writingHint
                }
            let reason = "It was not published again: \(ErrorText.text(of: error))."
            return Refusal(reason: reason, hint: hint, isFailure: true)
        }
    }

    /// What helps for an own segment that this store cannot publish again.
    private func refusal(_ name: SegmentName, because obstacle: String, after loss: SegmentError) -> Refusal {
        if name.last <= endorsed[name.writer] {
            let removal =
                listing.logs.isFolder(name)
                ? "Nobody needs it. To remove it: rm -r \(path(name.path).shellWord)"
                : "Nothing has to be done: the compaction removes the file."
            return Refusal(reason: "\(obstacle), but an endorsed baseline has its transactions.", hint: removal)
        }
        if name.last <= claimed[name.writer] {
            return Refusal(
                reason: "\(obstacle), but a baseline that no store has endorsed yet has its transactions.",
                hint: "Wait until a store endorses the baseline. To see what it waits for: tributaryctl compact"
            )
        }
        return Refusal(
            reason: "\(obstacle), and no baseline has its transactions.",
            hint: "Copy the segment here from another machine, or make a baseline that has its transactions: "
                + "tributaryctl compact"
        )
    }

    static let repair = "tributaryctl check --repair"

    static let writingHint = "Give the daemon room and the right to write there, then: \(repair)"

    private mutating func merge(
        _ name: SegmentName,
        _ sha256: String,
        through last: UInt64,
        follows: Bool
    ) throws -> Bool {
        let (file, segment) = try read(name, sha256: sha256)
        report.segments += 1
        let untrusted = try untrusted(segment)
        guard segment.end.sha256 == sha256 else {
            if let untrusted {
                add(untrusted, segment, file, "It differs from the applied segment, which has the hash \(sha256).")
                return false
            }
            report.add(
                .segmentChanged,
                detail:
                    "The hash of \(name.path) is \(segment.end.sha256), but the applied segment has the hash "
                    + "\(sha256).",
                writer: name.writer,
                file: file.file,
                hint: "Two machines write as this writer, or the file was replaced: put the original file back."
            )
            return false
        }
        addBrokenLink(of: segment, file)
        // The store's record proves that it has applied these bytes, regardless of their signature.
        if untrusted != nil { report.untrusted = (report.untrusted ?? 0) + 1 }
        addMissingBlobs(of: segment, file)
        return try follows && mergeAgain(segment, file, through: last)
    }

    /// Prefers a conflict copy that has the applied bytes; a repair then also restores the segment beside its copy.
    private mutating func read(_ name: SegmentName, sha256: String) throws -> (OpenFile, VerifiedSegment) {
        for copy in listing.copies[name] ?? [] {
            guard let file = try? listing.logs.open(fileName: copy.fileName, writer: name.writer),
                let segment = try? SegmentVerifier().verify(file, name: name), segment.end.sha256 == sha256
            else { continue }
            if republish != nil, state.exporters.contains(name.writer), let loss = loss(of: name),
                let refusal = try restore(name, sha256, after: loss), refusal.isFailure
            {
                add(loss, to: name, refusal)
            }
            return (file, segment)
        }
        let file = try listing.logs.open(name)
        return (file, try SegmentVerifier().verify(file, name: name))
    }

    private func loss(of name: SegmentName) -> SegmentError? {
        do throws(SegmentError) {
            _ = try SegmentVerifier().verify(listing.logs.open(name), name: name)
            return nil
        } catch {
            return error.isLoss ? error : nil
        }
    }

    /// The first failure becomes the obstacle; later segments are no longer merged.
    private mutating func mergeAgain(
        _ segment: VerifiedSegment,
        _ file: OpenFile,
        through last: UInt64
    ) throws -> Bool {
        guard let rebuild, obstacle == nil else { return true }
        do {
            try rebuild.merge(segment, file, through: last)
            return true
        } catch let error as StoreError {
            setObstacle(
                error.isInputOutput ? .scratchUnusable : .segmentsMissing,
                "The segment \(segment.name.path) cannot be merged into a new store: \(error)."
            )
            return false
        }
    }

    private mutating func setObstacle(_ reason: CheckReport.Obstacle, _ detail: String) {
        if obstacle == nil { obstacle = .impossible(reason, detail) }
    }

    // MARK: Segments that are not applied

    private mutating func auditOthers(of writer: CheckedState.Writer) throws {
        let applied = Set(writer.records.map(\.name))
        for name in listing.names[writer.id] ?? [] where !applied.contains(name) && name != writer.partial?.name {
            // Transactions that came with a baseline, or from segments with other bounds, have no record of their own.
            if name.last <= writer.sequence || state.unfinished.contains(name) { continue }
            try auditUnapplied(name)
        }
    }

    private mutating func auditUnapplied(_ name: SegmentName) throws {
        try step(report.segments)
        do {
            let file = try listing.logs.open(name)
            let segment = try SegmentVerifier().verify(file, name: name)
            report.segments += 1
            report.unapplied += 1
            if let untrusted = try untrusted(segment) { return add(untrusted, segment, file, nil) }
            addBrokenLink(of: segment, file)
            addMissingBlobs(of: segment, file)
        } catch let error as SegmentError {
            // A file that is still being written, or was removed meanwhile, is not a finding of a check.
            if error.kind != .incomplete, error.kind != .missing { add(error, to: name) }
        }
    }

    // MARK: Trust

    private func untrusted(_ segment: VerifiedSegment) throws -> UntrustedFile? {
        guard state.accepted[segment.name] != segment.end.sha256 else { return nil }
        return try trust.store.read { try trust.keys.refusal(of: segment, $0) }
    }

    private mutating func add(
        _ untrusted: UntrustedFile,
        _ segment: VerifiedSegment,
        _ file: OpenFile,
        _ difference: String?
    ) {
        let name = segment.name
        let accept = "tributaryctl segment accept \(name.path)"
        let hint =
            if untrusted.isRevoked {
                ImportPlanner.revokedHint(name)
            } else if difference != nil {
                "Copy the applied segment here, from its writer or another machine."
            } else if let key = untrusted.key {
                "If \(untrusted.condition): tributaryctl writer trust \(untrusted.store) --key \(key); "
                    + "for this file alone: \(accept)"
            } else {
                "Copy the signed segment here from its machine. If you know that this file is right: \(accept)"
            }
        report.add(
            .segmentUntrusted,
            detail: ["The segment \(name.path) is not trusted. \(untrusted.reason)", difference].compactMap(\.self)
                .joined(separator: " "),
            writer: name.writer,
            file: file.file,
            hint: hint
        )
    }

    mutating func addUntrusted(_ known: KnownBaselines) {
        for (name, refusal) in known.refused.sorted(by: { $0.key < $1.key })
        where refusal.untrusted != nil && refusal.untrusted?.isRevoked != true {
            let subject = "The baseline \(name.path)"
            report.add(Problem(.baselineRefused, subject, of: name.writer, refusal), file: path(name.path))
        }
        for (name, refusal) in known.missedComparisons.sorted(by: { $0.key < $1.key }) {
            let subject = "The comparison of the baseline \(name.baseline.path) by writer \(name.writer)"
            report.add(Problem(.comparisonRefused, subject, of: name.writer, refusal), file: path(name.path))
        }
    }

    private func path(_ file: String) -> String { "\(listing.logs.path)/\(file)" }

    // MARK: Problems

    private mutating func addUnreadable(_ writer: UniqueID, _ error: SegmentError) {
        report.add(
            .logsUnreadable,
            detail: "The folder of the writer \(writer) cannot be read: \(error.reason).",
            writer: writer,
            file: error.file,
            hint: "Give the daemon the right to read it; its segments were not checked."
        )
        guard state.writers.contains(where: { $0.id == writer }) else { return }
        setObstacle(.logsUnreadable, "The folder of the writer \(writer) cannot be read.")
    }

    private mutating func add(_ error: SegmentError, to name: SegmentName, _ refusal: Refusal? = nil) {
        let isOwn = state.exporters.contains(name.writer)
        let (code, finding, hint): (Problem.Code, String, String) =
            if error.kind == .missing {
                (
                    isOwn ? .exportMissing : .segmentMissing,
                    "The segment \(name.path) was \(isOwn ? "exported" : "applied") and is not in the log folder.",
                    "Copy it here from its writer or another machine: a new machine cannot build its store without it."
                )
            } else {
                (.segmentDamaged, "The segment \(name.path) cannot be used: \(error.reason).", error.hint)
            }
        report.add(
            code,
            detail: [finding, refusal?.reason].compactMap(\.self).joined(separator: " "),
            writer: name.writer,
            file: error.kind == .missing ? path(name.path) : error.file,
            hint: refusal?.hint ?? hint
        )
    }

    /// Adds segments that are only in baselines without a valid endorsement, for example because its key was revoked.
    private mutating func addUnendorsed() {
        guard unendorsed > 0 else { return }
        let segments = unendorsed == 1 ? "1 segment is" : "\(unendorsed) segments are"
        report.add(
            .segmentMissing,
            detail:
                "\(segments) only in a baseline that no trusted store has endorsed. A new machine waits for an endorsement.",
            hint:
                "Trust a store that has endorsed it, or wait: another store compares it, or this one a day later if it is alone. "
                + "To see why this store cannot decide: tributaryctl compact"
        )
    }

    private mutating func addHole(_ writer: CheckedState.Writer, from first: UInt64, to next: UInt64) {
        report.add(
            .positionHole,
            detail: "The store has no record of the segments with the transactions \(first) to \(next - 1) of the "
                + "writer \(writer.id), and has applied up to \(writer.sequence).",
            writer: writer.id,
            hint: "Stop the daemon and rebuild the store from the log folder: \(rebuilding)"
        )
    }

    private mutating func addBrokenLink(of segment: VerifiedSegment, _ file: OpenFile) {
        var comparison = ContentComparison(store: trust.store, logs: listing.logs, ends: ends)
        // If `ends` kept its reference, the dictionary in it would be copied for each segment.
        ends = SegmentEnds()
        defer { ends = comparison.ends }
        guard let reason = try? comparison.brokenLink(from: segment.name, to: segment.header.previous) else { return }
        report.add(
            .segmentsForked,
            detail: "The segment \(segment.name.path) does not follow the applied segments. \(reason)",
            writer: segment.name.writer,
            file: file.file,
            hint: ImportPlanner.forkHint(segment.name.writer)
        )
    }

    private mutating func addMissingBlobs(of segment: VerifiedSegment, _ file: OpenFile) {
        guard let missing = try? BlobSearch(logs: listing.logs).missing(in: segment, file: file) else { return }
        for blob in missing {
            report.add(
                .blobMissing,
                detail:
                    "The segment \(segment.name.path) names the large value \(blob), which is missing or damaged.",
                writer: segment.name.writer,
                file: path("\(segment.name.writer)/blobs/\(blob)"),
                hint: "Copy it here from its writer or another machine."
            )
        }
    }
}

extension SegmentError {
    /// Whether the file is missing, or its bytes are no longer those of the published segment.
    fileprivate var isLoss: Bool { [.missing, .incomplete, .damaged, .rejected].contains(kind) }
}
