import Glibc
import TransactionLog
package import TributaryChanges

/// The result of a scan of the log folder.
package struct FolderScan: Sendable {
    /// The folders that may have changed, including the store's own one.
    package var listings: [WriterListing] = []
    /// Single files of known folders.
    package var changes: [ListingChange] = []
    /// The writers whose folders have vanished.
    package var vanished: [UniqueID] = []
    package var problems: [FolderProblem] = []
    /// The paths of the scanned folders; their former problems have ended unless the scan found them again.
    package var lookedAt: Set<String> = []
    /// The files and folders that the system refused to show; they must be scanned again soon.
    package var retry = FolderHints()
    /// The writers with single files that the system refused to show.
    var refused: Set<UniqueID> = []

    package init() {}

    mutating func refuse(_ kind: FolderProblem.Kind, path: String, code: Int32) {
        problems.append(FolderProblem(kind, path: path, reason: String(cString: strerror(code))))
    }
}
