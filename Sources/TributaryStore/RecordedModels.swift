import GRDB
import TributaryChanges
import TributaryModel

/// The versions of its model that a store has been at, or knew to be older than its own; the last is the one it is at.
struct RecordedModels {
    private(set) var models: [Model] = []
    private let db: Database

    static let table = """
        CREATE TABLE IF NOT EXISTS tributary_model(
            number INTEGER PRIMARY KEY, hash TEXT NOT NULL, version TEXT NOT NULL, definition TEXT NOT NULL)
        """

    init(_ db: Database) throws {
        self.db = db
        try db.execute(sql: RecordedModels.table)
        let select = try BoundStatement(db, "SELECT definition FROM tributary_model ORDER BY number")
        var texts: [String] = []
        try select.forEach { texts.append($0.text(0)) }
        for text in texts {
            do {
                models.append(try Model(archive: text))
            } catch {
                throw StoreError.database(code: 11, message: "tributary_model: \(error)")
            }
        }
    }

    /// Nil in a store that was made before models were recorded.
    var current: Model? { models.last }

    /// Whether the store has left this version behind.
    func hasLeft(_ hash: String) -> Bool { models.dropLast().contains { $0.versionHash == hash } }

    /// The store is at `model` now; what is older and not known yet comes before it.
    mutating func move(to model: Model) throws {
        let known = Set(models.map(\.versionHash))
        for earlier in model.earlierVersions where !known.contains(earlier.versionHash) { try add(earlier) }
        try add(model)
    }

    private mutating func add(_ model: Model) throws {
        let insert = try BoundStatement(
            db,
            "INSERT INTO tributary_model(hash, version, definition) VALUES (?1, ?2, ?3)"
        )
        insert.bind(1, model.versionHash)
        insert.bind(2, model.version)
        insert.bind(3, model.archive)
        try insert.run()
        models.append(model)
    }
}
