import GRDB
import TributaryChanges

extension Database {
    func hasRows(_ table: String) throws -> Bool {
        try BoundStatement(self, "SELECT 1 FROM \(table) LIMIT 1").first { _ in true } ?? false
    }

    /// The identifiers that a query selects for a table's code (?1) between two identifiers (?2 and ?3).
    ///
    /// The limit counts rows, and a query may select an identifier many times. When there are more rows than the limit,
    /// any object may be among those that were not read.
    func membership(_ sql: String, code: Int64, _ range: ClosedRange<UniqueID>) throws -> MembershipHint {
        let statement = try BoundStatement(self, sql + " LIMIT \(MembershipHint.limit + 1)")
        statement.bind(1, code)
        statement.bind(2, range.lowerBound)
        statement.bind(3, range.upperBound)
        var found = MembershipHint()
        var count = 0
        try statement.forEach { row in
            count += 1
            if let id = row.id(0) { found.insert(id) }
        }
        if count > MembershipHint.limit { found.containAll() }
        return found
    }
}
