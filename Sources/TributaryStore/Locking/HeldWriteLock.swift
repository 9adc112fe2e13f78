import GRDB
package import TributaryChanges

/// The held write lock, with no transaction open.
///
/// Valid only inside the closure that it is given to.
package struct HeldWriteLock {
    let store: Store
    let database: Database
}

extension HeldWriteLock {
    package func newestTransaction() throws -> Int64 {
        try StoreError.mapping { try Reader(database: database, context: store.context).history.newestTransaction() }
    }

    /// The combined changes of the transactions after `number` up to `through`.
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
