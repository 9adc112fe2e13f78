import TributaryChanges

/// The progress of imports and exports since the service began.
struct ImportProgress: Sendable {
    /// Whether the segments that could be imported when the service began have been imported.
    var isInitialImportComplete = false
    /// The wall time of the last commit of imported transactions.
    var lastImport: WallTime?
    var isApplying = false
    private(set) var imported = ImportCounts()
    private(set) var exported = ImportCounts()

    mutating func addImported(_ counts: ImportCounts, wall: WallTime) {
        imported = imported + counts
        if counts.transactions > 0 { lastImport = wall }
    }

    mutating func addExported(_ counts: ImportCounts) { exported = exported + counts }
}
