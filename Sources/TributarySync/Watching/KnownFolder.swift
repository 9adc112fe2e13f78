import TransactionLog
import TributaryChanges

struct KnownFolder: Sendable {
    enum Entry {
        case file(File, FileIdentity?)
        case unusableFile(WriterListing.UnusableFile)
    }

    /// Each segment of the folder takes 40 bytes, also after it is applied.
    struct File: BoundedSegment {
        let bounds: SegmentBounds
        let inode: UInt64
        var isApplied: Bool
    }

    let writer: UniqueID
    var inode: UInt64
    /// The time stamp of the folder; nil when it is so recent that a later change may have the same time stamp.
    var modified: FileTime?
    private(set) var files = SegmentOrder<File>()
    private(set) var unchecked: Set<SegmentBounds> = []
    private(set) var unusableFiles: [String: WriterListing.UnusableFile] = [:]
    private(set) var baselines: [UInt64] = []
    private(set) var comparisons: [BaselineName] = []

    private static let misnamedLimit = 1_000
    private(set) var misnamedCount = 0
    /// The number of a writer's listed baselines, and of its compared and its newest baselines that are read.
    private static let (baselineLimit, examinedLimit) = (1_000, 16)
    private static let comparisonLimit = 64

    func name(_ bounds: SegmentBounds) -> SegmentName { SegmentName(writer: writer, bounds) }

    /// An applied file is considered compared if it was in `former`, or was verified before it was applied.
    mutating func replace(with found: [File], former: KnownFolder?) {
        for file in found where file.isApplied && former?.isSettled(file) != true { unchecked.insert(file.bounds) }
        files.replace(with: found)
    }

    mutating func insert(_ file: File) {
        files.insert(file)
        if file.isApplied { unchecked.insert(file.bounds) }
    }

    private func isSettled(_ file: File) -> Bool {
        files[file.bounds]?.inode == file.inode && !unchecked.contains(file.bounds)
    }

    mutating func insert(_ unusableFile: WriterListing.UnusableFile) {
        unusableFiles[unusableFile.fileName] = unusableFile
    }

    mutating func insert(other unusableFile: WriterListing.UnusableFile) {
        if unusableFile.state == .rejected {
            guard misnamedCount < KnownFolder.misnamedLimit else { return }
            misnamedCount += 1
        }
        unusableFiles[unusableFile.fileName] = unusableFile
    }

    /// Keeps the newest comparison of each maker; O(1), because a folder has at most ``comparisonLimit`` of them.
    mutating func insert(comparison baseline: BaselineName) {
        comparisons.append(baseline)
        guard comparisons.count > KnownFolder.comparisonLimit else { return }
        let makers = Dictionary(grouping: comparisons.indices) { comparisons[$0].writer }
        let most = makers.values.max { $0.count < $1.count } ?? []
        if let oldest = most.min(by: { comparisons[$0].sequence < comparisons[$1].sequence }) {
            comparisons.remove(at: oldest)
        }
    }

    mutating func insert(baseline sequence: UInt64) {
        let index = baselines.firstIndex { $0 >= sequence } ?? baselines.endIndex
        baselines.insert(sequence, at: index)
        if baselines.count > KnownFolder.baselineLimit { baselines.removeFirst() }
    }

    /// Newer baselines that nobody has compared do not hide an endorsed baseline.
    func examinedBaselines(compared: Set<BaselineName>) -> [BaselineName] {
        let names = baselines.map { BaselineName(writer: writer, sequence: $0) }
        let first = names.filter(compared.contains).suffix(KnownFolder.examinedLimit)
        return Set(first).union(names.suffix(KnownFolder.examinedLimit)).sorted()
    }

    mutating func remove(_ bounds: SegmentBounds) -> Bool {
        unchecked.remove(bounds)
        files.remove(bounds)
        return !unusableFiles.isEmpty && unusableFiles.removeValue(forKey: name(bounds).fileName) != nil
    }

    func isApplied(_ bounds: SegmentBounds, position: UInt64) -> Bool {
        files[bounds].map { $0.isApplied || bounds.last <= position } ?? false
    }

    /// Files that the position has passed were verified before, so they are not compared again.
    mutating func refresh(position: UInt64, _ look: (SegmentName) -> FileAttributes?) -> [WriterListing.Pending] {
        var pending: [WriterListing.Pending] = []
        files.replace(
            with: files.slice().compactMap { file in
                guard !file.isApplied, file.bounds.last > position else {
                    return File(bounds: file.bounds, inode: file.inode, isApplied: true)
                }
                guard let found = look(name(file.bounds)) else { return nil }
                pending.append(WriterListing.Pending(id: name(file.bounds), file: FileIdentity(found)))
                return File(bounds: file.bounds, inode: found.inode, isApplied: false)
            }
        )
        return pending
    }

    mutating func checked(_ bounds: SegmentBounds) { unchecked.remove(bounds) }

    var allUnusableFiles: [WriterListing.UnusableFile] { unusableFiles.values.sorted { $0.fileName < $1.fileName } }

    func listing(_ pending: [WriterListing.Pending]) -> WriterListing {
        var listing = WriterListing(writer: writer)
        listing.pending = pending
        listing.unusableFiles = allUnusableFiles
        listing.applied = files.slice().filter(\.isApplied).map(\.bounds)
        return listing
    }
}
