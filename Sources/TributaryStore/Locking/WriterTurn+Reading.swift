package import TributaryChanges

extension WriterTurn {
    /// The newest transaction of anyone.
    package func newestTransaction() throws -> Int64 {
        try StoreError.mapping { try Reader(database: database, context: store.context).history.newestTransaction() }
    }

    /// What the transactions after `number` up to `through` have changed.
    package func changes(after number: Int64, through: Int64, limit: Int) throws -> ObjectChanges {
        try StoreError.mapping {
            let reader = Reader(database: database, context: store.context)
            // What was purged before it was noticed may have been anything.
            guard try reader.history.oldestNumber() <= number else {
                var everything = ObjectChanges(limit: limit)
                everything.collapseEverything()
                return everything
            }
            return try reader.history.changes(after: number, through: through, limit: limit)
        }
    }
}
