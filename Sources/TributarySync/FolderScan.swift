package import TributaryChanges

/// What one look at the log folder has shown.
package struct FolderScan: Sendable {
    /// Folders of which something may have changed, the store's own one among them.
    package var listings: [WriterListing] = []
    /// Folders that are not there any more.
    package var vanished: [UniqueID] = []
    package var problems: [FolderProblem] = []

    package init() {}
}
