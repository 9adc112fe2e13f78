import TransactionLog
import TributaryChanges
import TributaryStore

/// Holds the log folder against a state of the store, reads every segment, and merges those that the store has applied
/// into a rebuilt store.
struct FolderAudit {
    /// The names of the segments in the log folder, listed before the state was read.
    let listing: LogListing
    let state: CheckedState
    let baselines: CheckedBaselines
    /// Receives the applied segments; nil when there is nothing to compare.
    let rebuild: ScratchRebuild?
    /// The log folder of the check's own, with the local transactions that are not exported.
    let scratch: LogFolder
    /// Publishes a segment of the store's own again, or returns false; nil without repairs.
    let republish: ((SegmentRecord) throws -> Bool)?
    /// Called before each segment with the number of segments so far; throws to end the audit.
    let step: (Int) throws -> Void
    /// The command that builds the store anew.
    let rebuilding: String

    private(set) var report: CheckReport
    /// Why the rebuilt store lacks something; nil when it does not.
    private(set) var obstacle: (reason: CheckReport.Obstacle, detail: String)?
    /// The hashes of all applied segments of forked writers, collected when they are needed first.
    private var hashes: [UniqueID: Set<String>] = [:]

    init(
        listing: LogListing,
        state: CheckedState,
        baselines: CheckedBaselines,
        rebuild: ScratchRebuild?,
        scratch: LogFolder,
        report: CheckReport,
        republish: ((SegmentRecord) throws -> Bool)?,
        rebuilding: String,
        step: @escaping (Int) throws -> Void
    ) {
        self.listing = listing
        self.state = state
        self.baselines = baselines
        self.rebuild = rebuild
        self.scratch = scratch
        self.report = report
        self.republish = republish
        self.step = step
        self.rebuilding = rebuilding
    }

    /// - Throws: What `step` throws, and ``SegmentError`` of the scratch folder.
    mutating func run() throws {
        for (writer, error) in listing.unreadable.sorted(by: { $0.key < $1.key }) { addUnreadable(writer, error) }
        if let base = baselines.base { try begin(with: base) }
        for writer in state.writers where listing.unreadable[writer.id] == nil { try audit(writer) }
        let known = Set(state.writers.map(\.id))
        for (writer, names) in listing.names.sorted(by: { $0.key < $1.key }) where !known.contains(writer) {
            for name in names {
                if writer == state.own { addAhead(name) } else { try auditUnapplied(name) }
            }
        }
        report.unexported = state.unexported
    }

    /// Begins the rebuilt store with a baseline, because segments that it has are gone.
    private mutating func begin(with base: KnownBaseline) throws {
        do {
            try rebuild?.join(base, logs: listing.logs)
        } catch let error as SegmentError {
            setObstacle(.segmentsMissing, "The baseline \(base.name.path) cannot be used: \(error.reason).")
        } catch let error as BaselineJoinError {
            setObstacle(.segmentsMissing, "The baseline \(base.name.path) cannot be used: \(error).")
        }
    }

    // MARK: Writers

    private mutating func audit(_ writer: CheckedState.Writer) throws {
        var position = baselines.base?.vector[writer.id] ?? 0
        if isPlaced(writer.id) {
            position = min(position, baselines.base?.forks[writer.id]?.start ?? position)
            // A fork of the baseline may lie on another line.
            position = writer.records.first { $0.last > position }.map { $0.first - 1 } ?? position
        }
        var isWhole = true
        for record in writer.records {
            guard record.last > position else {
                _ = try audit(record, isWhole: false)
                continue
            }
            if record.first != position + 1, record.first - 1 != writer.joined {
                addHole(writer, from: position + 1, to: record.first)
            }
            isWhole = try audit(record, isWhole: isWhole && record.first == position + 1) && isWhole
            position = max(position, record.last)
        }
        if let partial = writer.partial, partial.name.first == position + 1, partial.name.last > position {
            isWhole = try audit(partial, through: writer.sequence, isWhole: isWhole) && isWhole
            position = writer.sequence
        }
        if writer.id == state.own, let tail = state.tail, tail.first == position + 1 {
            let file = try scratch.open(tail)
            if isWhole {
                let segment = try SegmentVerifier().verify(file, name: tail)
                isWhole = try mergeAgain(segment, file, through: tail.last)
            }
            position = tail.last
        }
        if position < writer.sequence, writer.sequence == writer.joined {
            isWhole = false
        } else if position < writer.sequence {
            addHole(writer, from: position + 1, to: writer.sequence + 1)
            isWhole = false
        }
        for branch in writer.branches { isWhole = try audit(branch, of: writer.id, isWhole: isWhole) && isWhole }
        if !isWhole {
            setObstacle(
                .segmentsMissing,
                "Segments of the writer \(writer.id) are not in the log folder as they were applied."
            )
        }
        try auditOthers(of: writer)
    }

    /// Whether the segments of a forked writer are merged where the baseline has left off, which names some of them.
    private func isPlaced(_ writer: UniqueID) -> Bool {
        baselines.base?.vector[writer] ?? 0 > 0 && state.writers.contains { $0.id == writer && !$0.branches.isEmpty }
    }

    /// Audits a branch of a writer's log; false when it cannot be merged into the rebuilt store.
    private mutating func audit(_ branch: CheckedState.Branch, of writer: UniqueID, isWhole: Bool) throws -> Bool {
        var isWhole = isWhole
        for record in branch.records { isWhole = try audit(record, branch.record, isWhole: isWhole) && isWhole }
        guard let partial = branch.partial else { return isWhole }
        let (name, last) = (partial.name, branch.record.sequence)
        return try audit(name, nil, sha256: partial.sha256, through: last, branch.record, isWhole: isWhole) && isWhole
    }

    /// Audits an applied segment; false when it cannot be merged into the rebuilt store.
    private mutating func audit(
        _ record: SegmentRecord,
        _ branch: WriterBranch? = nil,
        isWhole: Bool
    ) throws -> Bool {
        let name = SegmentName(writer: record.writer, first: record.first, last: record.last)
        return try audit(name, record, sha256: record.sha256, through: record.last, branch, isWhole: isWhole)
    }

    private mutating func audit(_ partial: PartialRecord, through last: UInt64, isWhole: Bool) throws -> Bool {
        try audit(partial.name, nil, sha256: partial.sha256, through: last, isWhole: isWhole)
    }

    /// Audits a segment; `record` is that of a whole one.
    private mutating func audit(
        _ name: SegmentName,
        _ record: SegmentRecord?,
        sha256: String,
        through last: UInt64,
        _ branch: WriterBranch? = nil,
        isWhole: Bool
    ) throws -> Bool {
        try step(report.segments)
        do {
            return try merge(name, sha256: sha256, through: last, branch, isWhole: isWhole)
        } catch let error as SegmentError where error.kind == .missing && last <= baselines.covered[name.writer] {
            return false
        } catch let error as SegmentError where error.kind == .missing {
            // Without the folder of the store's own writer this may be the mount point of an unmounted share.
            guard name.writer == state.own, !listing.logs.lacksFolder(of: state.own), let record,
                try republish?(record) == true
            else {
                addMissing(name)
                return false
            }
            report.repairs.append("The segment \(name.path) was published again from the outbox.")
            return try merge(name, sha256: sha256, through: last, branch, isWhole: isWhole)
        } catch let error as SegmentError {
            add(error, to: name)
            return false
        }
    }

    private mutating func merge(
        _ name: SegmentName,
        sha256: String,
        through last: UInt64,
        _ branch: WriterBranch?,
        isWhole: Bool
    ) throws -> Bool {
        let (file, segment) = try read(name, sha256: sha256)
        report.segments += 1
        guard segment.end.sha256 == sha256 else {
            report.add(
                CheckProblem(
                    code: .segmentChanged,
                    detail:
                        "The hash of \(name.path) is \(segment.end.sha256), that of the segment that was applied is "
                        + "\(sha256).",
                    file: file.file,
                    writer: name.writer,
                    hint: "Two programs write as this writer, or the file was replaced: bring the right one again."
                )
            )
            return false
        }
        addMissingBlobs(of: segment, file)
        return try isWhole && mergeAgain(segment, file, through: last, branch)
    }

    /// Reads a segment, or the conflict copy that has its hash, because of a forked writer several files may have one
    /// name.
    ///
    /// - Throws: ``SegmentError``; `missing` when the name belongs to another applied segment of the writer now.
    private mutating func read(
        _ name: SegmentName,
        sha256: String
    ) throws(SegmentError) -> (OpenFile, VerifiedSegment) {
        for copy in listing.copies[name] ?? [] {
            guard let file = try? listing.logs.open(fileName: copy.fileName, writer: name.writer),
                let segment = try? SegmentVerifier().verify(file, name: name), segment.end.sha256 == sha256
            else { continue }
            return (file, segment)
        }
        let file = try listing.logs.open(name)
        let segment = try SegmentVerifier().verify(file, name: name)
        guard segment.end.sha256 == sha256 || !isApplied(segment.end.sha256, ofForked: name.writer) else {
            let reason = "another segment of the forked writer has its name"
            throw SegmentError(.missing, file: file.file, writer: name.writer, reason: reason)
        }
        return (file, segment)
    }

    /// Whether a forked writer has an applied segment with the hash; false for writers without branches.
    private mutating func isApplied(_ sha256: String, ofForked writer: UniqueID) -> Bool {
        if let known = hashes[writer] { return known.contains(sha256) }
        let found = state.writers.first { $0.id == writer && !$0.branches.isEmpty }?.hashes ?? []
        hashes[writer] = found
        return found.contains(sha256)
    }

    /// Merges a segment into the rebuilt store, whose first failure becomes the obstacle and ends the comparison.
    private mutating func mergeAgain(
        _ segment: VerifiedSegment,
        _ file: OpenFile,
        through last: UInt64,
        _ branch: WriterBranch? = nil
    ) throws -> Bool {
        guard let rebuild, obstacle == nil else { return true }
        do {
            guard isPlaced(segment.name.writer) else {
                try rebuild.merge(segment, file, through: last, branch: branch)
                return true
            }
            if try !rebuild.hasSegment(segment.name, sha256: segment.end.sha256) {
                try rebuild.mergePlaced(segment, file, through: last)
            }
            return true
        } catch let error as StoreError {
            setObstacle(
                error.isInputOutput ? .scratchUnusable : .segmentsMissing,
                "The segment \(segment.name.path) cannot be merged into a new store: \(error)."
            )
            return false
        }
    }

    /// Records why the rebuilt store lacks something, unless a reason is known.
    private mutating func setObstacle(_ reason: CheckReport.Obstacle, _ detail: String) {
        if obstacle == nil { obstacle = (reason, detail) }
    }

    // MARK: Segments that are not applied

    /// Audits the files of a writer that are no applied segments.
    private mutating func auditOthers(of writer: CheckedState.Writer) throws {
        let records = writer.records + writer.branches.flatMap(\.records)
        let applied = Set(records.map { SegmentName(writer: $0.writer, first: $0.first, last: $0.last) })
        for name in listing.names[writer.id] ?? [] where !applied.contains(name) && name != writer.partial?.name {
            // Transactions that came with a baseline have no record of their segments.
            if name.last <= writer.joined { continue }
            if writer.id == state.own, state.unfinished.contains(name) { continue }
            // Of another writer it belongs to a branch that has not been applied yet.
            guard writer.id == state.own else {
                try auditUnapplied(name)
                continue
            }
            if name.first > writer.sequence { addAhead(name) } else { addUnknown(name) }
        }
    }

    private mutating func auditUnapplied(_ name: SegmentName) throws {
        try step(report.segments)
        do throws(SegmentError) {
            let file = try listing.logs.open(name)
            let segment = try SegmentVerifier().verify(file, name: name)
            report.segments += 1
            report.unapplied += 1
            addMissingBlobs(of: segment, file)
        } catch {
            // A file that is still being written, or was removed in the meantime, is none of a check's business.
            if error.kind != .incomplete, error.kind != .missing { add(error, to: name) }
        }
    }

    // MARK: Problems

    private mutating func addUnreadable(_ writer: UniqueID, _ error: SegmentError) {
        report.add(
            CheckProblem(
                code: .logsUnreadable,
                detail: "The folder of the writer \(writer) cannot be read: \(error.reason).",
                file: error.file,
                writer: writer,
                hint: "Give the daemon the right to read it; its segments were not checked."
            )
        )
        guard state.writers.contains(where: { $0.id == writer }) else { return }
        setObstacle(.logsUnreadable, "The folder of the writer \(writer) cannot be read.")
    }

    private mutating func add(_ error: SegmentError, to name: SegmentName) {
        report.add(
            CheckProblem(
                code: .segmentDamaged,
                detail: "The segment \(name.path) cannot be used: \(error.reason).",
                file: error.file,
                writer: name.writer,
                hint: error.hint
            )
        )
    }

    private mutating func addMissing(_ name: SegmentName) {
        let isOwn = name.writer == state.own
        report.add(
            CheckProblem(
                code: isOwn ? .exportMissing : .segmentMissing,
                detail: "The segment \(name.path) was \(isOwn ? "exported" : "applied") and is not in the log folder.",
                file: "\(listing.logs.path)/\(name.path)",
                writer: name.writer,
                hint: isOwn
                    ? "Bring it from another machine. Recent ones come back with: tributaryctl check --repair"
                    : "Bring it from its writer or another machine: a new machine cannot build its store without it."
            )
        )
    }

    private mutating func addHole(_ writer: CheckedState.Writer, from first: UInt64, to next: UInt64) {
        report.add(
            CheckProblem(
                code: .positionHole,
                detail: "The store has no record of the segments with the transactions \(first) to \(next - 1) of the "
                    + "writer \(writer.id), and has applied up to \(writer.sequence).",
                writer: writer.id,
                hint: "Stop the daemon and build the store anew from the log folder: \(rebuilding)"
            )
        )
    }

    private mutating func addUnknown(_ name: SegmentName) {
        report.add(
            CheckProblem(
                code: .segmentUnknown,
                detail: "The segment \(name.path) has transactions that this store has from another segment.",
                file: "\(listing.logs.path)/\(name.path)",
                writer: name.writer,
                hint: "Two programs write as this writer: tributaryctl status"
            )
        )
    }

    private mutating func addAhead(_ name: SegmentName) {
        report.add(
            CheckProblem(
                code: .ownSegmentsAhead,
                detail: "The segment \(name.path) of this store's writer is newer than the store.",
                file: "\(listing.logs.path)/\(name.path)",
                writer: name.writer,
                hint: "An older copy of the store is in use, or another machine runs one: tributaryctl status"
            )
        )
    }

    private mutating func addMissingBlobs(of segment: VerifiedSegment, _ file: OpenFile) {
        guard let missing = try? BlobSearch(logs: listing.logs).missing(in: segment, file: file) else { return }
        for blob in missing {
            report.add(
                CheckProblem(
                    code: .blobMissing,
                    detail:
                        "The segment \(segment.name.path) names the large value \(blob), which is missing or damaged.",
                    file: "\(listing.logs.path)/\(segment.name.writer)/blobs/\(blob)",
                    writer: segment.name.writer,
                    hint: "Bring it from its writer or another machine."
                )
            )
        }
    }
}
