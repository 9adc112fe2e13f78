/// How far imports and exports have come since the service began.
struct ImportProgress: Sendable {
    /// Whether everything that could be imported when the service began has been.
    var isInitialImportComplete = false
    /// Unix milliseconds of the last commit of imported transactions.
    var lastImport: UInt64?
    /// Whether a batch is being applied.
    var isApplying = false
    private(set) var imported = ImportCounts()
    private(set) var exported = ImportCounts()

    mutating func addImported(_ counts: ImportCounts, wall: UInt64) {
        imported = imported + counts
        if counts.transactions > 0 { lastImport = wall }
    }

    mutating func addExported(_ counts: ImportCounts) { exported = exported + counts }
}
