import TestSupport
import TributaryChanges
import TributaryMigration
import TributaryModel
import TributaryStore

/// A store in its own folder, with a stopped clock, that can be opened again with another model.
final class Replica {
    let folder: TemporaryFolder
    private(set) var store: Store

    init(_ model: Model) throws {
        folder = try TemporaryFolder("store")
        store = try Replica.open(folder, model, MigrationSettings())
    }

    /// Closes the store and tries to open it with another model; after a failure, `reopen` can open it again.
    func reopen(_ model: Model, migration: MigrationSettings = MigrationSettings()) throws {
        try store.close()
        store = try Replica.open(folder, model, migration)
    }

    private static func open(
        _ folder: TemporaryFolder,
        _ model: Model,
        _ migration: MigrationSettings
    ) throws -> Store {
        let configuration = StoreConfiguration(
            path: folder.path("store.sqlite"),
            name: "test",
            model: model,
            environment: StoreEnvironment(
                wallMilliseconds: { 1_700_000_000_000 },
                random: { UInt64.random(in: .min ... .max) }
            )
        )
        return try Store.open(configuration, migrator: Migrator(migration))
    }

    var path: String { folder.path("store.sqlite") }

    func commit(_ changes: Change...) throws {
        _ = try store.write { try $0.commit(LocalTransaction(changes: changes)) }
    }

    /// Applies a transaction of another writer, in slices of at most `slice` changes.
    func apply(_ transaction: ForeignTransaction, slice: Int = .max) throws {
        try apply(together: [transaction], slice: slice)
    }

    /// Applies transactions of other writers in one SQLite transaction.
    func apply(together transactions: [ForeignTransaction], slice: Int = .max) throws {
        try store.write { write in
            for transaction in transactions {
                try write.beginImport(writer: transaction.writer, header: transaction.header)
                var rest = transaction.changes[...]
                while !rest.isEmpty {
                    try write.apply(Array(rest.prefix(slice)))
                    rest = rest.dropFirst(slice)
                }
                _ = try write.endImport()
            }
        }
    }

    func apply(_ transactions: [ForeignTransaction]) throws {
        for transaction in transactions { try apply(transaction) }
    }

    func dump() throws -> String { try store.read { try $0.mergeState.dump() } }

    func digest() throws -> String { try store.read { try $0.mergeState.digest().digest } }

    /// The visible object's values by name; nil when it is not visible.
    func values(_ entity: String, _ id: UniqueID) throws -> [String: PropertyValue]? {
        let root = store.model.entity(named: entity)?.root ?? entity
        return try store.read { reader in
            try reader.row(id, rootEntity: root).map { row in
                Dictionary(uniqueKeysWithValues: zip(row.entity.properties.map(\.name), row.values))
            }
        }
    }
}
