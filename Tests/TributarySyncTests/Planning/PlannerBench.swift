import TestSupport
import TransactionLog
import TributaryChanges
import TributaryStore

@testable import TributarySync

/// A planner with a folder of invented segments; the result of reading each is decided beforehand.
struct PlannerBench {
    static let a = UniqueID(high: 0xA, low: 0)
    static let b = UniqueID(high: 0xB, low: 0)
    static let own = UniqueID(high: 0xF, low: 0)
    static let wall: WallTime = 1_000_000_000

    var planner: ImportPlanner
    var wall = PlannerBench.wall
    /// The result of reading each segment; by default a valid segment with one change for each transaction.
    var content: [SegmentName: VerificationResult] = [:]
    var files: [UniqueID: [WriterListing.Pending]] = [:]
    var unusableFiles: [UniqueID: [WriterListing.UnusableFile]] = [:]
    private(set) var applied: [SegmentName] = []
    private(set) var verified: [SegmentName] = []
    private(set) var batches = 0
    /// The first transaction of a file that says something else than other files do; files with their names by path.
    var others: [String: UInt64] = [:]
    private(set) var compared: [SegmentFile] = []
    /// Whether all writers are looked at again until none makes progress, which is slow and simple.
    var plansByFixpoint = false
    private var generation: UInt64 = 0

    init() {
        planner = ImportPlanner(
            own: PlannerBench.own,
            limits: ImportPlanner.Limits(maxAhead: .seconds(3600), incompleteGrace: .seconds(60))
        )
    }

    static func name(_ writer: UniqueID, _ first: UInt64, _ last: UInt64) -> SegmentName {
        SegmentName(writer: writer, first: first, last: last)
    }

    static func valid(
        _ name: SegmentName,
        clock: WallTime = PlannerBench.wall,
        blobs: [String] = [],
        unmet: SegmentSummary.UnmetDependencies? = nil,
        after: Incarnation.Predecessor? = nil
    ) -> VerificationResult {
        .valid(
            SegmentSummary(
                sha256: name.path,
                transactions: Int(name.last - name.first + 1),
                changes: Int(name.last - name.first + 1),
                lastClock: HybridClock(clock),
                missingBlobs: blobs,
                unmet: unmet,
                after: after
            )
        )
    }

    mutating func put(_ name: SegmentName, _ result: VerificationResult? = nil) {
        generation += 1
        content[name] = result
        files[name.writer, default: []].removeAll { $0.id == name }
        let file = FileIdentity(FileAttributes(inode: generation, size: 100))
        files[name.writer, default: []].append(WriterListing.Pending(id: name, file: file))
        scan(name.writer)
    }

    mutating func scan(_ writer: UniqueID) {
        var listing = WriterListing(writer: writer)
        let position = planner.position(of: writer).sequence
        for file in files[writer] ?? [] {
            if file.id.last > position {
                listing.pending.append(file)
            } else {
                listing.applied.append(SegmentBounds(first: file.id.first, last: file.id.last))
            }
        }
        listing.unusableFiles = unusableFiles[writer] ?? []
        planner.found(listing, wall: wall)
    }

    /// Carries out the planner's actions until it waits.
    @discardableResult
    mutating func settle() -> WallTime? {
        var last: ImportPlanner.Action?
        for _ in 0..<10_000 {
            compare()
            let action = (plansByFixpoint ? fixpointAction() : nil) ?? planner.next(wall: wall)
            last = action
            switch action {
            case .verify(let pending):
                for file in pending {
                    verified.append(file.id)
                    planner.verified(file.id, file: file.file, as: result(file.id), wall: wall)
                }
            case .apply(let runs): apply(runs)
            case .join(let baseline): preconditionFailure("the bench has no baseline \(baseline.name)")
            case .wait(let until): return until
            }
        }
        preconditionFailure("the planner goes round in circles: \(String(describing: last)), \(planner.positions)")
    }

    /// Puts a segment into the folder first.
    @discardableResult
    mutating func settle(with name: SegmentName, _ result: VerificationResult? = nil) -> WallTime? {
        put(name, result)
        return settle()
    }

    /// Applies each writer's segments as far as possible, until none makes progress.
    private mutating func apply(_ runs: [ImportPlanner.Run]) {
        batches += 1
        var (rest, moves) = (runs, true)
        while moves {
            let before = planner.positions
            var stopped: Set<UniqueID> = []
            rest = rest.filter { run in
                if !stopped.contains(run.id.writer), apply(run) { return false }
                stopped.insert(run.id.writer)
                return true
            }
            moves = planner.positions != before
        }
    }

    /// False when the segment is not applied to its end.
    private mutating func apply(_ run: ImportPlanner.Run) -> Bool {
        let through = openThrough(run)
        guard through < run.id.last else {
            applied.append(run.id)
            planner.finished(run.id)
            return true
        }
        if through >= run.id.first, through > planner.position(of: run.id.writer).sequence {
            let partial = WriterPosition.Partial(bounds: run.id.bounds, sha256: run.segment.sha256)
            planner.advanced(run.id.writer, to: through, partial: partial)
        }
        return false
    }

    /// Nil when nothing is to be read or to be applied.
    private func fixpointAction() -> ImportPlanner.Action? {
        let plan = fixpoint()
        if !plan.toRead.isEmpty { return .verify(plan.toRead) }
        return plan.runs.isEmpty ? nil : .apply(plan.runs)
    }

    /// What the planner is to plan: all writers are looked at again until none makes progress.
    func fixpoint() -> BatchPlan {
        var plan = BatchPlan(limits: planner.limits, positions: SupposedPositions(known: planner.positions))
        var ended: Set<UniqueID> = []
        var moves = true
        while moves {
            moves = false
            for id in planner.pendingWriters.sorted() where !ended.contains(id) {
                guard let writer = planner.writers[id] else { continue }
                switch planner.verdict(writer, positions: plan.positions, wall: wall) {
                case .read(let found):
                    if !plan.read(found.compactMap { writer[$0] }) { ended.insert(id) }
                    moves = true
                case .ready(let bounds, let through):
                    moves = (writer[bounds].map { plan.apply($0, through: through) } ?? false) || moves
                case .blocked: continue
                }
            }
        }
        return plan
    }

    /// Puts a replicator's conflict copy into the folder; `other` is its first transaction that says something else.
    @discardableResult
    mutating func put(copyOf name: SegmentName, other: UInt64? = nil) -> SegmentFile {
        generation += 1
        let fileName = "\(name.fileName.dropLast(5)).sync-conflict-\(generation).tlog"
        let file = SegmentFile(id: name, fileName: fileName)
        others[file.path] = other
        unusableFiles[name.writer, default: []].append(
            WriterListing.UnusableFile(
                id: name,
                fileName: fileName,
                state: .forked,
                reason: "",
                hint: "",
                file: FileIdentity(FileAttributes(inode: generation, size: 100))
            )
        )
        scan(name.writer)
        return file
    }

    /// What reading a segment finds, compared with what is applied.
    private func result(_ name: SegmentName) -> VerificationResult {
        guard case .valid(var summary)? = content[name] ?? .some(PlannerBench.valid(name)) else {
            return content[name] ?? PlannerBench.valid(name)
        }
        summary.comparedThrough = planner.position(of: name.writer).sequence
        guard let other = others[name.path], other <= summary.comparedThrough else { return .valid(summary) }
        return .bad(.forked, reason: "Its transaction \(other) is another one.", line: nil)
    }

    /// Compares the files at or below the positions, as the loop does with the store.
    private mutating func compare() {
        for file in planner.uncompared(limit: 1_000) {
            compared.append(file)
            planner.compared(file, others[file.path].map { "Its transaction \($0) is another one." }, wall: wall)
        }
    }

    private mutating func openThrough(_ run: ImportPlanner.Run) -> UInt64 {
        // What is applied already is passed over.
        guard let unmet = run.segment.unmet, unmet.sequence > planner.position(of: run.id.writer).sequence else {
            return run.id.last
        }
        let isBlocked = unmet.needs.contains {
            planner.position(of: $0.key).sequence < $0.value && !planner.abandoned.contains($0.key)
        }
        guard isBlocked else { return run.id.last }
        planner.stopped(run.id, by: unmet)
        return unmet.sequence - 1
    }

    func state(_ name: SegmentName) -> SegmentState {
        if let status = planner.status(of: name, wall: wall) { return status.state }
        return planner.position(of: name.writer).sequence >= name.last ? .applied : .waiting
    }

    func status(_ name: SegmentName) -> SegmentStatus? { planner.status(of: name, wall: wall) }
}
