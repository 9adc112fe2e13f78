import TransactionLog
import TributaryChanges

/// A writer's folder as it was when it was looked at last.
struct KnownFolder: Sendable {
    /// The kinds of entries with a segment's name.
    enum Entry {
        case pending(FileIdentity)
        case applied(inode: UInt64)
        case misfit(WriterListing.Misfit)
    }

    let writer: UniqueID
    var inode: UInt64
    /// Nil when the folder changed so shortly before the look that a later change may hide.
    var modified: FileTime?
    private(set) var pending: [SegmentBounds: FileIdentity] = [:]
    private(set) var applied: [SegmentBounds: WriterListing.Applied] = [:]
    /// Applied files whose end line is still to be compared.
    private(set) var unchecked: Set<SegmentBounds> = []
    private var misfits: [String: WriterListing.Misfit] = [:]

    /// Misnamed files that are listed of one folder.
    private static let misnamedLimit = 1_000
    private var misnamedCount = 0

    init(writer: UniqueID, inode: UInt64) {
        self.writer = writer
        self.inode = inode
    }

    func name(_ bounds: SegmentBounds) -> SegmentName {
        SegmentName(writer: writer, first: bounds.first, last: bounds.last)
    }

    /// Takes an entry that is not there yet; applied ones have been compared if they were in `former`, or were
    /// verified before they were applied.
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

    /// Takes a file whose name is nearly a segment's, or a replicator's copy of one.
    mutating func insert(other misfit: WriterListing.Misfit) {
        if misfit.state == .rejected {
            guard misnamedCount < KnownFolder.misnamedLimit else { return }
            misnamedCount += 1
        }
        misfits[misfit.fileName] = misfit
    }

    /// Forgets a name, whatever it was; true when it was a misfit.
    mutating func remove(_ bounds: SegmentBounds) -> Bool {
        pending[bounds] = nil
        applied[bounds] = nil
        unchecked.remove(bounds)
        return !misfits.isEmpty && misfits.removeValue(forKey: name(bounds).fileName) != nil
    }

    /// Whether there is a file at or below the position.
    func isApplied(_ bounds: SegmentBounds, position: UInt64) -> Bool {
        applied[bounds] != nil || (bounds.last <= position && pending[bounds] != nil)
    }

    /// The position has moved: what was pending may be applied now.
    ///
    /// It was verified then, so it need not be compared.
    mutating func markApplied(through position: UInt64) {
        for (bounds, file) in pending where bounds.last <= position {
            applied[bounds] = WriterListing.Applied(inode: file.inode, isChecked: true)
            pending[bounds] = nil
        }
    }

    /// Takes what the pending files are now; nil for one that is gone.
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
