import TestSupport
import TransactionLog
import TributaryChanges
import TributaryStore

@testable import TributarySync

/// A planner with a folder of invented segments; the outcome of reading each is decided beforehand.
struct PlannerBench {
    static let a = UniqueID(high: 0xA, low: 0)
    static let b = UniqueID(high: 0xB, low: 0)
    static let own = UniqueID(high: 0xF, low: 0)
    static let wall: WallTime = 1_000_000_000

    var planner: ImportPlanner
    var wall = PlannerBench.wall
    /// The outcome of reading each segment; by default a valid segment with one change for each transaction.
    var content: [SegmentName: VerificationOutcome] = [:]
    var files: [UniqueID: [WriterListing.Pending]] = [:]
    var misfits: [UniqueID: [WriterListing.Misfit]] = [:]
    private(set) var applied: [SegmentName] = []
    private(set) var verified: [SegmentName] = []
    private(set) var batches = 0
    /// The applied segments and lines of each writer, as a store has them.
    private var log: [UniqueID: BenchLog] = [:]
    /// The content of conflict copies, by path.
    private var copies: [String: VerificationOutcome] = [:]
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
        hash: String? = nil,
        previous: String? = nil,
        clock: WallTime = PlannerBench.wall,
        blobs: [String] = [],
        unmet: SegmentOutline.UnmetDependencies? = nil
    ) -> VerificationOutcome {
        .valid(
            SegmentOutline(
                sha256: hash ?? name.path,
                previous: previous,
                transactions: Int(name.last - name.first + 1),
                changes: Int(name.last - name.first + 1),
                lastClock: HybridClock(clock),
                missingBlobs: blobs,
                unmet: unmet
            )
        )
    }

    mutating func put(_ name: SegmentName, _ outcome: VerificationOutcome? = nil) {
        generation += 1
        content[name] = outcome
        files[name.writer, default: []].removeAll { $0.id == name }
        let file = FileIdentity(FileAttributes(inode: generation, size: 100))
        files[name.writer, default: []].append(WriterListing.Pending(id: name, file: file))
        scan(name.writer)
        // The loop compares the files at or below the position with the store's records.
        if name.last <= planner.position(of: name.writer).sequence, log[name.writer]?.overlaps(name) == true {
            planner.contradicted(name, reason: "It has other content.", wall: wall)
        }
    }

    mutating func remove(_ name: SegmentName) {
        files[name.writer, default: []].removeAll { $0.id == name }
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
        listing.misfits = misfits[writer] ?? []
        planner.found(listing, wall: wall)
    }

    /// Carries out the planner's actions until it waits.
    @discardableResult
    mutating func settle() -> WallTime? {
        for _ in 0..<10_000 {
            switch planner.next(wall: wall) {
            case .verify(let pending):
                for file in pending {
                    verified.append(file.id)
                    let outcome = content[file.id] ?? PlannerBench.valid(file.id)
                    planner.verified(file.id, file: file.file, as: outcome, wall: wall)
                }
            case .apply(let runs): apply(runs)
            case .examine(let files):
                for file in files { examine(file) }
            case .branch(let run): apply(run)
            case .join(let baseline): preconditionFailure("the bench has no baseline \(baseline.name)")
            case .wait(let until): return until
            }
        }
        preconditionFailure("the planner goes round in circles")
    }

    private mutating func apply(_ runs: [ImportPlanner.Run]) {
        batches += 1
        for run in runs {
            let through = openThrough(run)
            guard through >= run.id.first else { continue }
            if through == run.id.last {
                applied.append(run.id)
                log[run.id.writer, default: BenchLog()].append(run.id, run.segment, to: "")
                planner.finished(run.id, sha256: run.segment.sha256, wall: wall)
            } else {
                let bounds = SegmentBounds(first: run.id.first, last: run.id.last)
                let partial = WriterPosition.Partial(bounds: bounds, sha256: run.segment.sha256)
                planner.advanced(run.id.writer, to: through, partial: partial)
            }
        }
    }

    mutating func put(copyOf name: SegmentName, _ label: String, _ outcome: VerificationOutcome) {
        put(copiesOf: name, [(label, outcome)])
    }

    /// Puts conflict copies into the folder, which one scan finds.
    mutating func put(copiesOf name: SegmentName, _ labelled: [(String, VerificationOutcome)]) {
        for (label, outcome) in labelled {
            generation += 1
            let fileName = "\(name.fileName.dropLast(5)).sync-conflict-\(label).tlog"
            copies["\(name.writer)/\(fileName)"] = outcome
            misfits[name.writer, default: []].append(
                WriterListing.Misfit(
                    id: name,
                    fileName: fileName,
                    state: .forked,
                    reason: "",
                    hint: "",
                    file: FileIdentity(FileAttributes(inode: generation, size: 100))
                )
            )
        }
        scan(name.writer)
    }

    private mutating func examine(_ examinee: BranchExaminee) {
        let id = examinee.file.id
        let outcome =
            examinee.outline.map(VerificationOutcome.valid) ?? copies[examinee.file.path] ?? content[id]
            ?? PlannerBench.valid(id)
        var place: BranchPlace?
        if case .valid(let outline) = outcome {
            place = log[id.writer, default: BenchLog()].place(of: id, outline, planner.position(of: id.writer))
        }
        planner.examined(examinee.file, identity: examinee.identity, as: outcome, at: place, wall: wall)
    }

    private mutating func apply(_ run: BranchRun) {
        applied.append(run.file.id)
        let writer = run.file.id.writer
        log[writer, default: BenchLog()].append(run.file.id, run.segment, to: run.target.branch)
        if run.target.branch.isEmpty {
            let position = WriterPosition(sequence: run.file.id.last, lastHash: run.segment.sha256)
            planner.setPosition(position, of: writer)
        }
        planner.branches.reaches[writer] = log[writer]?.reach
        planner.branches.moved(writer)
    }

    func appliedHashes(of writer: UniqueID) -> [String] { (log[writer]?.hashes ?? []).sorted() }

    private mutating func openThrough(_ run: ImportPlanner.Run) -> UInt64 {
        guard let unmet = run.segment.unmet else { return run.id.last }
        let isBlocked = unmet.needs.contains {
            max(planner.position(of: $0.key).sequence, planner.branches.reaches[$0.key] ?? 0) < $0.value
                && !planner.abandoned.contains($0.key)
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

/// The applied segments of one writer by line, as a store keeps them.
struct BenchLog {
    private var lines: [String: [SegmentRecord]] = ["": []]

    var hashes: [String] { lines.values.joined().map(\.sha256) }

    var reach: UInt64 { lines.values.compactMap { $0.last?.last }.max() ?? 0 }

    func overlaps(_ id: SegmentName) -> Bool {
        lines.values.joined().contains { $0.first <= id.last && id.first <= $0.last }
    }

    mutating func append(_ id: SegmentName, _ segment: SegmentOutline, to branch: String) {
        let record = SegmentRecord(
            writer: id.writer,
            first: id.first,
            last: id.last,
            sha256: segment.sha256,
            branch: branch
        )
        lines[branch, default: []].append(record)
    }

    /// The place of a segment; `position` is that of the first line.
    func place(of id: SegmentName, _ outline: SegmentOutline, _ position: WriterPosition) -> BranchPlace {
        let first = WriterLines.Line(
            branch: "",
            sequence: position.sequence,
            lastHash: position.lastHash,
            whole: lines[""]?.last?.last ?? position.wholeThrough,
            partial: position.partial
        )
        let branches = lines.filter { !$0.key.isEmpty }.sorted { $0.key < $1.key }.map { branch, records in
            let last = records.last?.last ?? 0
            return WriterLines.Line(branch: branch, sequence: last, lastHash: records.last?.sha256, whole: last)
        }
        let all = lines.values.joined()
        let neighbours = WriterLines.Neighbours(
            beginning: all.filter { $0.first == id.first },
            preceding: all.filter { $0.last == id.first - 1 },
            overlaps: overlaps(id)
        )
        return WriterLines(lines: [first] + branches)
            .place(id.bounds, sha256: outline.sha256, previous: outline.previous, neighbours)
    }
}
