import TransactionLog
import TributaryChanges

/// The files that belong to branches of writers, or whose place is not known yet.
///
/// Only forked writers have any, so that each function may visit all files of one writer, which are bounded in number.
/// Applied ones are not: a clone may have written for a year, and a replicator may have copied a segment a thousand times.
struct PlannedBranches: Sendable {
    /// The files by writer and file name that are not applied.
    private(set) var files: [UniqueID: [String: BranchFile]] = [:]
    /// The names of these files, in order.
    private var order: [SegmentFile] = []
    /// The files that are applied, and are not read again until they change.
    private(set) var applied: [UniqueID: [SegmentFile: FileIdentity]] = [:]
    /// The writers with files for which there was no room.
    private var crowded: Set<UniqueID> = []
    /// The last sequence that some branch of a forked writer has reached.
    var reaches: [UniqueID: UInt64] = [:]
    var forks: [WriterFork] = []

    /// The greatest number of files of one writer that are looked at together.
    static let fileLimit = 1_000

    /// The files that are not applied, in order; one step for each, without comparing any.
    var all: some Sequence<BranchFile> { order.lazy.compactMap { files[$0.id.writer]?[$0.fileName] } }

    /// The file that was found or read last under a name; nil when there is none, or only its name is known.
    func identity(of file: SegmentFile) -> FileIdentity? {
        files[file.id.writer]?[file.fileName]?.identity ?? applied[file.id.writer]?[file]
    }

    /// Whether a writer has files; O(1).
    func hasFiles(of writer: UniqueID) -> Bool { files[writer] != nil || applied[writer] != nil }

    /// The names of all files of a writer, those that are applied too.
    func names(of writer: UniqueID) -> [SegmentFile] {
        (files[writer] ?? [:]).values.map(\.file) + Array((applied[writer] ?? [:]).keys)
    }

    /// The applied files of a segment's name.
    func appliedFiles(of id: SegmentName) -> [SegmentFile] { (applied[id.writer] ?? [:]).keys.filter { $0.id == id } }

    /// The files of a segment's name that are not applied, in order.
    func files(of id: SegmentName) -> [BranchFile] {
        (files[id.writer] ?? [:]).values.filter { $0.file.id == id }.sorted { $0.file < $1.file }
    }

    /// Inserts a file, or updates its identity; a changed file is read again, and one that is applied is not.
    mutating func insert(_ file: SegmentFile, _ identity: FileIdentity?, outline: SegmentOutline? = nil, wall: WallTime)
    {
        let writer = file.id.writer
        if let known = applied[writer]?[file] {
            guard let identity, identity != known else { return }
            remove(file)
        }
        if let known = files[writer]?[file.fileName] {
            guard identity == nil || known.identity != identity else { return }
            files[writer]?[file.fileName]?.identity = identity
            return learn(file, outline.map(BranchFile.Knowledge.valid) ?? .unknown)
        }
        guard hasRoom(for: file) else {
            crowded.insert(writer)
            return
        }
        let knowledge = outline.map(BranchFile.Knowledge.valid) ?? .unknown
        let made = BranchFile(file: file, identity: identity, knowledge: knowledge, found: wall)
        files[writer, default: [:]][file.fileName] = made
        order.insert(file, at: place(of: file))
    }

    /// The index of the first file that does not come before the given one; O(log n).
    private func place(of file: SegmentFile) -> Int {
        var (low, high) = (0, order.count)
        while low < high {
            let middle = low + (high - low) / 2
            if order[middle] < file { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Whether a file is known, or may be inserted.
    func hasRoom(for file: SegmentFile) -> Bool {
        guard let known = files[file.id.writer] else { return true }
        return known[file.fileName] != nil || known.count < PlannedBranches.fileLimit
    }

    /// The writers that have room again for files that were left out; a scan finds these.
    mutating func drainCrowded() -> [UniqueID] {
        guard !crowded.isEmpty else { return [] }
        // With fewer, a folder would be listed for each file.
        let ready = crowded.filter { files[$0]?.count ?? 0 <= PlannedBranches.fileLimit / 2 }
        crowded.subtract(ready)
        return ready.sorted()
    }

    mutating func remove(_ file: SegmentFile) {
        let writer = file.id.writer
        if let known = files[writer]?.removeValue(forKey: file.fileName)?.file { order.remove(at: place(of: known)) }
        if files[writer]?.isEmpty == true { files[writer] = nil }
        applied[writer]?[file] = nil
        if applied[writer]?.isEmpty == true { applied[writer] = nil }
    }

    mutating func removeAll(of writer: UniqueID) {
        files[writer] = nil
        order.removeAll { $0.id.writer == writer }
        applied[writer] = nil
        crowded.remove(writer)
    }

    /// Records what reading a file, or looking up its place, has found.
    mutating func learn(_ file: SegmentFile, _ knowledge: BranchFile.Knowledge, identity: FileIdentity? = nil) {
        guard var known = files[file.id.writer]?[file.fileName] else { return }
        if let identity { known.identity = identity }
        if case .placed(_, .applied) = knowledge, let identity = known.identity {
            remove(file)
            applied[file.id.writer, default: [:]][file] = identity
            return
        }
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
        Array(all.lazy.filter { $0.isOpen(wall: wall) }.prefix(limit))
    }
}
