import TransactionLog
import TributaryChanges

/// The state of a writer's folder at its last scan.
struct KnownFolder: Sendable {
    enum Entry {
        case pending(FileIdentity)
        case applied(inode: UInt64)
        case misfit(WriterListing.Misfit)
    }

    let writer: UniqueID
    var inode: UInt64
    /// The time stamp of the folder; nil when it is so recent that a later change may have the same one.
    var modified: FileTime?
    private(set) var pending: [SegmentBounds: FileIdentity] = [:]
    private(set) var applied: [SegmentBounds: WriterListing.Applied] = [:]
    /// The applied files whose end line is still to be compared.
    private(set) var unchecked: Set<SegmentBounds> = []
    private var misfits: [String: WriterListing.Misfit] = [:]
    /// The sequences of the writer's last baselines, in order.
    private(set) var baselines: [UInt64] = []

    /// The maximum number of listed misnamed files of one folder.
    private static let misnamedLimit = 1_000
    private var misnamedCount = 0
    /// The maximum number of a writer's baselines that are looked at: the last ones.
    private static let baselineLimit = 16

    init(writer: UniqueID, inode: UInt64) {
        self.writer = writer
        self.inode = inode
    }

    func name(_ bounds: SegmentBounds) -> SegmentName {
        SegmentName(writer: writer, first: bounds.first, last: bounds.last)
    }

    /// Inserts a new entry.
    ///
    /// An applied file is marked as compared if it was in `former`, or was verified before it was applied.
    mutating func insert(_ entry: Entry, _ id: SegmentName, former: KnownFolder? = nil) {
        switch entry {
        case .pending(let file): pending[id.bounds] = file
        case .misfit(let misfit): misfits[misfit.fileName] = misfit
        case .applied(let inode):
            let isChecked =
                former?.applied[id.bounds].map { $0.isChecked && $0.inode == inode }
                ?? former?.pending[id.bounds].map { $0.inode == inode } ?? false
            applied[id.bounds] = WriterListing.Applied(inode: inode, isChecked: isChecked)
            if !isChecked { unchecked.insert(id.bounds) }
        }
    }

    /// Inserts a file with nearly a segment's name, or a replicator's copy of a segment.
    mutating func insert(other misfit: WriterListing.Misfit) {
        if misfit.state == .rejected {
            guard misnamedCount < KnownFolder.misnamedLimit else { return }
            misnamedCount += 1
        }
        misfits[misfit.fileName] = misfit
    }

    /// Inserts a baseline; only the last ones are kept.
    mutating func insert(baseline sequence: UInt64) {
        let index = baselines.firstIndex { $0 >= sequence } ?? baselines.endIndex
        baselines.insert(sequence, at: index)
        if baselines.count > KnownFolder.baselineLimit { baselines.removeFirst() }
    }

    /// Removes a name; true when its file was a misfit.
    mutating func remove(_ bounds: SegmentBounds) -> Bool {
        pending[bounds] = nil
        applied[bounds] = nil
        unchecked.remove(bounds)
        return !misfits.isEmpty && misfits.removeValue(forKey: name(bounds).fileName) != nil
    }

    /// Whether the folder has a file at or below the position.
    func isApplied(_ bounds: SegmentBounds, position: UInt64) -> Bool {
        applied[bounds] != nil || (bounds.last <= position && pending[bounds] != nil)
    }

    /// Marks pending files that the new position covers as applied.
    ///
    /// They were verified before, so they need not be compared.
    mutating func markApplied(through position: UInt64) {
        for (bounds, file) in pending where bounds.last <= position {
            applied[bounds] = WriterListing.Applied(inode: file.inode, isChecked: true)
            pending[bounds] = nil
        }
    }

    /// Updates the identities of the pending files; nil removes a file that has vanished.
    mutating func refresh(_ look: (SegmentName) -> FileIdentity?) {
        for bounds in pending.keys { pending[bounds] = look(name(bounds)) }
    }

    mutating func checked(_ bounds: SegmentBounds) {
        applied[bounds]?.isChecked = true
        unchecked.remove(bounds)
    }

    var allMisfits: [WriterListing.Misfit] { misfits.values.sorted { $0.fileName < $1.fileName } }

    var listing: WriterListing {
        var listing = WriterListing(writer: writer)
        listing.pending = pending.map { WriterListing.Pending(id: name($0), file: $1) }
        listing.misfits = allMisfits
        listing.applied = applied
        return listing
    }
}
