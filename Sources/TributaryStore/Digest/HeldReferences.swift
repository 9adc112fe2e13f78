import GRDB
import TributaryChanges

/// Reads the targets that the references of a table hold without showing them, beside the rows of the table.
///
/// The cost is one look at each of these references, whatever the number of rows.
final class HeldReferences {
    private let statement: BoundStatement
    private var isAtReference = false

    init(_ db: Database, of table: TableLayout) throws {
        statement = try BoundStatement(
            db,
            "SELECT id, place, target FROM tributary_reference WHERE root = ?1 ORDER BY id"
        )
        statement.bind(1, table.code)
        isAtReference = try statement.step()
    }

    /// The targets of an object by column; objects are asked for in the order of their identifiers.
    func targets(of id: UniqueID) throws -> [Int: UniqueID] {
        var found: [Int: UniqueID] = [:]
        while isAtReference, let next = statement.id(0), !(id < next) {
            if next == id, let target = statement.id(2) { found[Int(statement.integer(1))] = target }
            isAtReference = try statement.step()
        }
        return found
    }

    func reset() { statement.reset() }
}
