/// The status of the sync: a value that the owner of the state publishes.
package struct SyncStatus: Sendable, Hashable {
    package var isRunning = false
    /// Unix milliseconds.
    package var pausedSince: UInt64?
    package var segments: [SegmentState: Int] = [:]
    /// Segments that are verified or to be verified and may be applied.
    package var queue = 0
    /// Whether everything that could be imported when the service began has been.
    package var initialImportComplete = false
    /// Unix milliseconds of the last commit of imported transactions.
    package var lastImport: UInt64?
    package var isImporting = false
    package var imported = ImportCounts()
    package var exported = ImportCounts()
    package var problems: [SyncProblem] = []

    package init() {}
}
