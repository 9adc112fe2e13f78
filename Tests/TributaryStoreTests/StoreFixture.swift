import GRDB
import TestSupport
import TributaryChanges
import TributaryModel

@testable import TributaryStore

/// A store of a small company in its own folder.
///
/// Rows are written with plain SQL, so that the tests exercise only reading.
struct StoreFixture: Sendable {
    let folder: TemporaryFolder
    let store: Store
    var path: String { folder.path("store.sqlite") }

    init(model: Model? = nil) throws {
        folder = try TemporaryFolder("store")
        store = try Store.open(
            StoreConfiguration(
                path: folder.path("store.sqlite"),
                name: "test",
                model: try model ?? StoreFixture.company()
            )
        )
    }

    /// One entity with a name and a number.
    static func company() throws -> Model {
        try Model(
            yaml: """
                version: "1"
                entities: {Employee: {attributes: {name: String?, salary: Integer 64?}}}
                """
        )
    }

    /// Commits one transaction that adds `rows` employees; its number is the greatest so far plus one.
    @discardableResult
    func hire(_ rows: Int = 1, nameLength: Int = 8, on store: Store? = nil) throws -> Int64 {
        try (store ?? self.store).write { try StoreFixture.hire(rows, nameLength: nameLength, in: $0) }
    }

    @discardableResult
    static func hire(_ rows: Int = 1, nameLength: Int = 8, in transaction: WriteTransaction) throws -> Int64 {
        let database = transaction.reader.database
        let number = try transaction.reader.history.newestTransaction() + 1
        try database.execute(
            sql: """
                INSERT INTO tributary_transaction(number, writer, sequence, clock, committed_at) VALUES (?1, 1, ?1, 0, 0)
                """,
            arguments: [number]
        )
        let name = String(repeating: "n", count: nameLength)
        for row in 0..<rows {
            try database.execute(
                sql: """
                    INSERT INTO Employee(_id, _revision, _version, _exceptions, name, salary)
                    VALUES (randomblob(16), ?1, ?1, x'', ?2, ?3)
                    """,
                arguments: [number, name, row]
            )
        }
        return number
    }
}

extension Reader {
    func census() throws -> (employees: Int, newest: Int64) {
        (try Int.fetchOne(database, sql: "SELECT count(*) FROM Employee") ?? 0, try history.newestTransaction())
    }
}

extension Store {
    /// Pins the current state with a number of connections.
    func pin(connections: Int = 1) throws -> Generation { try move(from: nil, connections: connections) }
}
