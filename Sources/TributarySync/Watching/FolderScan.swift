import Glibc
import TransactionLog
package import TributaryChanges

/// The result of a scan of the log folder.
package struct FolderScan: Sendable {
    /// Folders of which something may have changed, the store's own one among them.
    package var listings: [WriterListing] = []
    /// Single files of folders that are known.
    package var changes: [ListingChange] = []
    /// Folders that are not there any more.
    package var vanished: [UniqueID] = []
    package var problems: [FolderProblem] = []
    /// The folders that were looked at: other problems of theirs are over.
    package var lookedAt: Set<String> = []
    /// Files and folders that the system refused to show; they are to be scanned again soon.
    package var retry = FolderHints()
    /// Writers of which single files were refused.
    var refused: Set<UniqueID> = []

    package init() {}

    /// The first file of a writer that counts as applied and ends past the sequence.
    func firstFile(of writer: UniqueID, past sequence: UInt64) -> SegmentName? {
        let listed = listings.first { $0.writer == writer }.map { Array($0.applied.keys) } ?? []
        let changed = changes.first { $0.writer == writer }.map { $0.applied.map(\.bounds) } ?? []
        let first = (listed + changed).filter { $0.last > sequence }.min()
        return first.map { SegmentName(writer: writer, first: $0.first, last: $0.last) }
    }

    mutating func refuse(_ kind: FolderProblem.Kind, path: String, code: Int32) {
        problems.append(FolderProblem(kind, path: path, reason: String(cString: strerror(code))))
    }
}
