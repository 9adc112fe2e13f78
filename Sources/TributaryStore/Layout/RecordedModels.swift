import GRDB
import TributaryChanges
import TributaryModel

/// The versions of its model that a store has been at, or knew to be older than its own; the last is the one it is at.
///
/// Opening a store compares hashes; a definition is read when a version is needed that is not at hand.
struct RecordedModels {
    private struct Entry {
        var number: Int64
        var hash: String
        /// Nil while it is in the table alone.
        var model: Model?
    }

    private var entries: [Entry] = []
    private let db: Database
    private let path: String

    /// Set while older versions of a new store's model have not been written down yet.
    static let unrecordedKey = "models.unrecorded"

    static let table = """
        CREATE TABLE IF NOT EXISTS tributary_model(
            number INTEGER PRIMARY KEY, hash TEXT NOT NULL, version TEXT NOT NULL, definition TEXT NOT NULL)
        """

    init(_ db: Database, path: String) throws {
        self.db = db
        self.path = path
        try db.execute(sql: RecordedModels.table)
        let select = try BoundStatement(db, "SELECT number, hash FROM tributary_model ORDER BY number")
        var entries: [Entry] = []
        try select.forEach { entries.append(Entry(number: $0.integer(0), hash: $0.text(1))) }
        self.entries = entries
    }

    /// The hash of the version that the store is at; nil in a store that was made before models were recorded.
    var currentHash: String? { entries.last?.hash }

    /// The version that the store is at.
    func current() throws -> Model? {
        guard let last = entries.last else { return nil }
        return try last.model ?? RecordedModels.definition(last.number, in: db)
    }

    /// Whether the store has left this version behind.
    func hasLeft(_ hash: String) -> Bool { entries.dropLast().contains { $0.hash == hash } }

    /// All versions but the current one, with or without it, and without the one with a hash.
    func versions(withCurrent: Bool, except hash: String? = nil) -> ModelVersions {
        let kept = (withCurrent ? entries[...] : entries.dropLast()).filter { $0.hash != hash }
        let path = path
        let known = kept.compactMap(\.model)
        if known.count == kept.count { return ModelVersions(known) }
        return ModelVersions(count: kept.count) { index in
            if let model = kept[index].model { return model }
            let connection = try StoreConnection.reader(path: path)
            defer { try? connection.close() }
            return try connection.run { try RecordedModels.definition(kept[index].number, in: $0) }
        }
    }

    /// A new store is at `model`; older versions that would have to be read from files come later.
    mutating func begin(with model: Model) throws {
        guard !model.earlier.areInMemory else { return try move(to: model, through: nil) }
        try add(model)
        try db.execute(
            sql: "INSERT INTO tributary_setting(key, value) VALUES (?, '1')",
            arguments: [RecordedModels.unrecordedKey]
        )
    }

    /// The store is at `model` now; what lies between and is not known yet comes before it.
    ///
    /// Without a way to it, all that is older and not known comes before it.
    mutating func move(to model: Model, through between: [Model]?) throws {
        let isReadable = between == nil || model.earlier.areInMemory
        let earlier = (isReadable ? model.earlier.passing() : []) + (between ?? [])
        var known = Set(entries.map(\.hash))
        for version in earlier where known.insert(version.versionHash).inserted { try add(version) }
        try add(model)
    }

    private mutating func add(_ model: Model) throws {
        let number = (entries.last?.number ?? 0) + 1
        let hash = model.versionHash
        try RecordedModels.insert(model, hash, at: number, in: db)
        entries.append(Entry(number: number, hash: hash, model: model))
    }

    static func insert(_ model: Model, _ hash: String, at number: Int64, in db: Database) throws {
        let insert = try BoundStatement(
            db,
            "INSERT INTO tributary_model(number, hash, version, definition) VALUES (?1, ?2, ?3, ?4)"
        )
        insert.bind(1, number)
        insert.bind(2, hash)
        insert.bind(3, model.version)
        insert.bind(4, model.archive)
        try insert.run()
    }

    private static func definition(_ number: Int64, in db: Database) throws -> Model {
        let select = try BoundStatement(db, "SELECT definition FROM tributary_model WHERE number = ?1")
        select.bind(1, number)
        guard let text = try select.first({ $0.text(0) }) else {
            throw StoreError.database(code: 11, message: "tributary_model: \(number) is not there")
        }
        do {
            return try Model(archive: text)
        } catch {
            throw StoreError.database(code: 11, message: "tributary_model: \(error)")
        }
    }
}
