import GRDB

/// Repairs in a store what follows from the rest of its file.
///
/// Valid only inside the transaction.
package struct StoreRepair {
    private let transaction: WriteTransaction

    package init(_ transaction: WriteTransaction) {
        self.transaction = transaction
    }

    package func rebuildIndexes() throws {
        try transaction.db.execute(sql: "REINDEX")
    }

    package func createMissingStructures() throws {
        try Schema.createMissingStructures(in: transaction.db, layout: transaction.reader.context.layout)
    }
}
