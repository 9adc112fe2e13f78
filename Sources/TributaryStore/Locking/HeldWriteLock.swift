import GRDB
package import TributaryChanges

/// No transaction is open; valid only inside the closure that receives it.
package struct HeldWriteLock {
    let store: Store
    let database: Database
}

extension HeldWriteLock {
    package func newestTransaction() throws -> Int64 {
        try StoreError.mapping { try Reader(database: database, context: store.context).history.newestTransaction() }
    }

    package func changes(after number: Int64, through: Int64, limit: Int) throws -> ObjectChanges {
        try StoreError.mapping {
            try Reader(database: database, context: store.context).history
                .changes(after: number, through: through, limit: limit)
        }
    }
}
