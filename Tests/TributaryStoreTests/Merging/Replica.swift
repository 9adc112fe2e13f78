import TestSupport
import TributaryChanges
import TributaryMigration
import TributaryModel

@testable import TributaryStore

/// A store in its own folder, with a stopped clock and short functions for writes.
final class Replica {
    let folder: TemporaryFolder
    private(set) var store: Store
    static let milliseconds: UInt64 = 1_700_000_000_000

    init(_ model: Model? = nil) throws {
        folder = try TemporaryFolder("store")
        store = try Replica.open(folder, model ?? SampleModel.make())
    }

    private static func open(_ folder: TemporaryFolder, _ model: Model) throws -> Store {
        let environment = StoreEnvironment(
            wallMilliseconds: { milliseconds },
            random: { UInt64.random(in: .min ... .max) }
        )
        let configuration = StoreConfiguration(
            path: folder.path("store.sqlite"),
            name: "test",
            model: model,
            environment: environment
        )
        return try Store.open(configuration, migrator: Migrator())
    }

    /// Closes the store and opens it again, optionally with another model.
    func reopen(_ model: Model? = nil) throws {
        try store.close()
        store = try Replica.open(folder, model ?? SampleModel.make())
    }

    var path: String { folder.path("store.sqlite") }

    @discardableResult
    func commit(_ changes: Change...) throws -> CommittedTransaction {
        try store.write { try $0.commit(LocalTransaction(changes: changes)) }
    }

    /// Applies a transaction of another writer, in slices of at most `slice` changes.
    @discardableResult
    func apply(_ transaction: ForeignTransaction, slice: Int = .max) throws -> CommittedTransaction {
        try store.write { try Replica.apply(transaction, slice: slice, in: $0) }
    }

    /// Applies transactions of other writers in one SQLite transaction.
    func apply(together transactions: [ForeignTransaction], slice: Int = .max) throws {
        try store.write { write in
            for transaction in transactions { try Replica.apply(transaction, slice: slice, in: write) }
        }
    }

    @discardableResult
    private static func apply(
        _ transaction: ForeignTransaction,
        slice: Int,
        in write: WriteTransaction
    ) throws -> CommittedTransaction {
        try write.beginImport(writer: transaction.writer, header: transaction.header)
        var rest = transaction.changes[...]
        while !rest.isEmpty {
            try write.apply(Array(rest.prefix(slice)))
            rest = rest.dropFirst(slice)
        }
        return try write.endImport()
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
