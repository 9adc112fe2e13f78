import TransactionLog
import TributaryChanges

/// A replicator's copy of a segment of the store's own writer: the replicator found two files of one name.
struct ConflictCopy: Hashable, Sendable {
    /// The path of the copy.
    var path: String
    /// Whether it is a whole segment with other content than the one whose name it has.
    var isOtherSegment: Bool

    /// Why nothing is compacted, and the command that ends it, as sentences.
    var reason: String {
        isOtherSegment
            ? "\(path) is a segment of this store's own writer with other content: another program has written as this "
                + "store. To continue as a writer of its own: tributaryctl writer restamp"
            : "\(path) is a replicator's copy of a segment of this store's own writer, and says nothing that the segment "
                + "does not say. To end this: rm '\(path.replacing("'", with: "'\\''"))'"
    }

    /// Compares a copy with the segment that the store has exported.
    ///
    /// - Parameters:
    ///   - misfit: The copy.
    ///   - sha256: The hash of the exported segment whose name it has; nil when there is none.
    ///   - logs: The log folder.
    init(_ misfit: WriterListing.Misfit, of sha256: String?, in logs: LogFolder) {
        path = "\(logs.path)/\(misfit.id.writer)/\(misfit.fileName)"
        let file = try? logs.open(fileName: misfit.fileName, writer: misfit.id.writer)
        let copy = file.flatMap { try? SegmentVerifier().verify($0, name: misfit.id) }
        isOtherSegment = copy.map { $0.end.sha256 != sha256 } ?? false
    }
}
