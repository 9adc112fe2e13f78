package import TributaryChanges

extension WriterTurn {
    /// The number of the newest transaction, local or imported.
    package func newestTransaction() throws -> Int64 {
        try StoreError.mapping { try Reader(database: database, context: store.context).history.newestTransaction() }
    }

    /// The union of the changes of the transactions after `number` up to `through`.
    ///
    /// - Parameters:
    ///   - number: The number of the transaction before the first one.
    ///   - through: The number of the last one.
    ///   - limit: The number of objects above which an entity is named as a whole.
    /// - Returns: The changed objects; everything when the history before has been purged.
    /// - Throws: ``StoreError`` when the store cannot be read.
    package func changes(after number: Int64, through: Int64, limit: Int) throws -> ObjectChanges {
        try StoreError.mapping {
            let reader = Reader(database: database, context: store.context)
            // Without the purged history, any object may have changed.
            guard try reader.history.oldestNumber() <= number else {
                var everything = ObjectChanges(limit: limit)
                everything.collapseEverything()
                return everything
            }
            return try reader.history.changes(after: number, through: through, limit: limit)
        }
    }
}
