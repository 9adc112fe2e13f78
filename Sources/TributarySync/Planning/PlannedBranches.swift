import TransactionLog
import TributaryChanges

/// The files that belong to branches of writers, or whose place is not known yet.
///
/// Only forked writers have any, so that each function may visit all files of one writer, which are bounded in number.
struct PlannedBranches: Sendable {
    /// The files by writer and file name.
    private(set) var files: [UniqueID: [String: BranchFile]] = [:]
    /// The last sequence that some branch of a forked writer has reached.
    var reaches: [UniqueID: UInt64] = [:]
    var forks: [WriterFork] = []

    /// The greatest number of files of one writer that are looked at together.
    static let fileLimit = 1_000

    /// The files that count, in order.
    var all: [BranchFile] { files.values.flatMap(\.values).sorted { $0.file < $1.file } }

    func file(_ file: SegmentFile) -> BranchFile? { files[file.id.writer]?[file.fileName] }

    /// The files of a segment's name, in order.
    func files(of id: SegmentName) -> [BranchFile] {
        (files[id.writer] ?? [:]).values.filter { $0.file.id == id }.sorted { $0.file < $1.file }
    }

    /// Inserts a file, or updates its identity; a changed file is read again.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - identity: The file that was found; nil when only its name is known.
    ///   - outline: The facts about its segment, when it has been read.
    ///   - wall: The wall time.
    mutating func insert(_ file: SegmentFile, _ identity: FileIdentity?, outline: SegmentOutline? = nil, wall: WallTime)
    {
        let writer = file.id.writer
        if let known = files[writer]?[file.fileName] {
            guard identity == nil || known.identity != identity else { return }
            files[writer]?[file.fileName]?.identity = identity
            return learn(file, outline.map(BranchFile.Knowledge.valid) ?? .unknown)
        }
        guard files[writer]?.count ?? 0 < PlannedBranches.fileLimit else { return }
        let knowledge = outline.map(BranchFile.Knowledge.valid) ?? .unknown
        let made = BranchFile(file: file, identity: identity, knowledge: knowledge, found: wall)
        files[writer, default: [:]][file.fileName] = made
    }

    /// Whether a file is known, or may be inserted.
    func hasRoom(for file: SegmentFile) -> Bool {
        guard let known = files[file.id.writer] else { return true }
        return known[file.fileName] != nil || known.count < PlannedBranches.fileLimit
    }

    mutating func remove(_ file: SegmentFile) {
        files[file.id.writer]?[file.fileName] = nil
        if files[file.id.writer]?.isEmpty == true { files[file.id.writer] = nil }
    }

    mutating func removeAll(of writer: UniqueID) { files[writer] = nil }

    /// Records what reading a file, or looking up its place, has found.
    mutating func learn(_ file: SegmentFile, _ knowledge: BranchFile.Knowledge, identity: FileIdentity? = nil) {
        guard var known = files[file.id.writer]?[file.fileName] else { return }
        if let identity { known.identity = identity }
        var knowledge = knowledge
        if case .incomplete(_, _, let since) = known.knowledge, case .incomplete(let reason, let line, _) = knowledge {
            knowledge = .incomplete(reason: reason, line: line, since: since)
        }
        if known.outline?.sha256 != BranchFile(file: file, knowledge: knowledge, found: known.found).outline?.sha256 {
            known.unmet = nil
        }
        known.knowledge = knowledge
        known.mayHaveGrown = false
        files[file.id.writer]?[file.fileName] = known
    }

    /// Records that the lines of a writer have moved: the places of its files are looked up again.
    mutating func moved(_ writer: UniqueID) {
        guard let known = files[writer] else { return }
        for (name, file) in known {
            guard case .placed(let outline, let place) = file.knowledge, place != .applied else { continue }
            files[writer]?[name]?.knowledge = .valid(outline)
        }
    }

    /// Records that the folder of a writer was listed: incomplete files are read again.
    mutating func listed(_ writer: UniqueID) {
        for (name, file) in files[writer] ?? [:] {
            if case .incomplete = file.knowledge { files[writer]?[name]?.mayHaveGrown = true }
        }
    }

    /// Records that applying stopped before a transaction with unmet dependencies; nil for none.
    mutating func stopped(_ file: SegmentFile, by unmet: SegmentOutline.UnmetDependencies?) {
        files[file.id.writer]?[file.fileName]?.unmet = unmet
    }

    mutating func announced(_ file: SegmentFile, _ announced: PlannedSegment.Announced) {
        files[file.id.writer]?[file.fileName]?.announced = announced
    }

    /// The files that are to be read or placed, in order, at most `limit`.
    func open(wall: WallTime, limit: Int) -> [BranchFile] {
        guard !files.isEmpty else { return [] }
        return Array(all.lazy.filter { $0.isOpen(wall: wall) }.prefix(limit))
    }
}
