import GRDB

extension BoundStatement {
    /// SQLite's own limit on the parameters of a statement.
    private static let argumentLimit = 32_766

    /// Prepares a query and binds its values.
    ///
    /// - Throws: ``StoreError`` `invalidQuery` when the query exceeds a limit of SQLite: its names were checked before.
    convenience init(_ db: Database, query: SQLFragment) throws {
        guard query.arguments.count <= BoundStatement.argumentLimit else {
            throw StoreError.invalidQuery(
                reason:
                    "\(query.arguments.count) values in one predicate; \(BoundStatement.argumentLimit) are the limit"
            )
        }
        do {
            try self.init(db, query.text, isKept: false)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
            throw StoreError.invalidQuery(
                reason: "the predicate nests too deep or leads too far for SQLite: \(error.message ?? "\(error)")"
            )
        }
        for (index, argument) in query.arguments.enumerated() { bind(Int32(index + 1), argument) }
    }
}
