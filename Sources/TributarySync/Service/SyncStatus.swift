package import TributaryChanges

/// The status of the sync, a value that the owner of the state publishes.
package struct SyncStatus: Sendable, Hashable {
    /// The wall time since which importing is paused.
    package var pausedSince: WallTime?
    package var segments: [SegmentState: Int] = [:]
    /// The number of segments that are verified or to be verified and may be applied.
    package var queue = 0
    /// Whether the segments that could be imported when the service began have been imported.
    package var initialImportComplete = false
    /// The wall time of the last commit of imported transactions.
    package var lastImport: WallTime?
    package var isImporting = false
    package var imported = ImportCounts()
    package var exported = ImportCounts()
    package var problems: [SyncProblem] = []

    package init() {}
}
