import Foundation
package import GRDB
import Synchronization
import TributaryChanges
package import TributaryModel

/// Oldest first; a definition is decoded only when no model in memory has its hash.
package struct RecordedModels {
    private struct Entry {
        var number: Int64
        var hash: String
        var version: String
        var model: Model?
    }

    private var entries: [Entry] = []
    private let db: Database
    private let path: String

    /// The setting exists while older versions of a new store's model are not recorded yet.
    static let unrecordedKey = "models.unrecorded"

    static let table = """
        CREATE TABLE IF NOT EXISTS tributary_model(
            number INTEGER PRIMARY KEY, hash TEXT NOT NULL, version TEXT NOT NULL, definition TEXT NOT NULL)
        """

    package init(_ db: Database, path: String) throws {
        self.db = db
        self.path = path
        try db.execute(sql: RecordedModels.table)
        let select = try BoundStatement(db, "SELECT number, hash, version FROM tributary_model ORDER BY number")
        var entries: [Entry] = []
        try select.forEach { entries.append(Entry(number: $0.integer(0), hash: $0.text(1), version: $0.text(2))) }
        self.entries = entries
    }

    package var currentHash: String? { entries.last?.hash }

    package func current() throws -> Model? {
        guard let last = entries.last else { return nil }
        return try last.model ?? RecordedModels.definition(last.number, in: db)
    }

    package func hasLeft(_ hash: String, version: String) -> Bool {
        entries.dropLast().contains { $0.hash == hash && $0.version == version }
    }

    package func versions(withCurrent: Bool, except hash: String? = nil) -> ModelVersions {
        let kept = Array((withCurrent ? entries[...] : entries.dropLast()).filter { $0.hash != hash })
        let path = path
        let known = kept.compactMap(\.model)
        if known.count == kept.count { return ModelVersions(known) }
        return ModelVersions(names: kept.map(\.version), hashes: kept.map(\.hash)) {
            let connection = try StoreConnection.reader(path: path)
            return { index in
                if let model = kept[index].model { return model }
                return try connection.run { try RecordedModels.definition(kept[index].number, in: $0) }
            }
        }
    }

    /// The recorded versions before `model`, or all versions if `model` is not recorded.
    package static func versions(ofStore path: String, except model: Model) throws -> ModelVersions {
        try StoreError.mapping {
            let connection = try StoreConnection.reader(path: path)
            defer { try? connection.close() }
            return try connection.run { database in
                var recorded = try RecordedModels(database, path: path)
                let hash = model.versionHash
                if let last = recorded.entries.lastIndex(where: { $0.hash == hash }) {
                    recorded.entries.removeSubrange(last...)
                }
                return recorded.versions(withCurrent: true, except: hash)
            }
        }
    }

    mutating func begin(with model: Model, after former: ModelVersions) throws {
        for version in former.passing() { try add(version) }
        guard !model.earlier.areInMemory else { return try move(to: model, through: nil) }
        try add(model)
        try SettingTable(db).set(Setting(RecordedModels.unrecordedKey), to: "1")
    }

    /// Records `model` after the missing versions of `between`; nil means all its older versions.
    package mutating func move(to model: Model, through between: [Model]?) throws {
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
        entries.append(Entry(number: number, hash: hash, version: model.version, model: model))
    }

    static func insert(_ model: Model, _ hash: String, at number: Int64, in db: Database) throws {
        let insert = try BoundStatement(
            db,
            "INSERT INTO tributary_model(number, hash, version, definition) VALUES (?1, ?2, ?3, ?4)"
        )
        insert.bindAll(number, hash, model.version, model.archive)
        try insert.run()
    }

    private static func definition(_ number: Int64, in db: Database) throws -> Model {
        let select = try BoundStatement(db, "SELECT definition FROM tributary_model WHERE number = \(value: number)")
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

/// Records the older versions of a new store's model after opening, which would otherwise take more than twice the time.
final class VersionRecording: Sendable {
    let done = DispatchGroup()

    init?(of store: Store) throws {
        let isNeeded = try store.read { try $0.setting(RecordedModels.unrecordedKey) } != nil
        guard isNeeded else { return nil }
        let model = store.model
        DispatchQueue.global(qos: .utility).async(group: done) { [weak store] in
            var versions: [(model: Model, hash: String)] = []
            for index in 0..<model.earlier.count {
                guard let store, !store.isClosed.load(ordering: .sequentiallyConsistent) else { return }
                if let version = model.earlier[index] { versions.append((version, version.versionHash)) }
            }
            // A store that was closed in between throws; the setting stays, and the next opening tries again.
            try? store?.write { transaction in
                try VersionRecording.record(versions, in: transaction)
            }
        }
    }

    private static func record(_ versions: [(model: Model, hash: String)], in transaction: WriteTransaction) throws {
        let db = transaction.reader.database
        guard try transaction.reader.setting(RecordedModels.unrecordedKey) != nil else { return }
        let known = Set(try String.fetchAll(db, sql: "SELECT hash FROM tributary_model"))
        let first = try Int64.fetchOne(db, sql: "SELECT min(number) FROM tributary_model") ?? 1
        let missing = versions.filter { !known.contains($0.hash) }
        for (index, version) in missing.enumerated() {
            try RecordedModels.insert(version.model, version.hash, at: first - Int64(missing.count - index), in: db)
        }
        try transaction.setSetting(RecordedModels.unrecordedKey, to: nil)
    }
}
