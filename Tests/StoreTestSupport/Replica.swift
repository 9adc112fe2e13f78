import Foundation
package import TestSupport
package import TributaryChanges
package import TributaryModel
package import TributaryStore

/// A store in its own folder, with a stopped clock, that can be opened again with another model.
package final class Replica {
    package let folder: TemporaryFolder
    package private(set) var store: Store
    /// The time at which the clock stands.
    package static let now: WallTime = 1_700_000_000_000

    package init(_ model: Model) throws {
        folder = try TemporaryFolder("store")
        store = try Replica.open(folder, model, MigrationSettings())
    }

    /// Closes the store and tries to open it with another model; after a failure, `reopen` can open it again.
    package func reopen(_ model: Model, migration: MigrationSettings = MigrationSettings()) throws {
        try store.close()
        store = try Replica.open(folder, model, migration)
    }

    private static func open(_ folder: TemporaryFolder, _ model: Model, _ migration: MigrationSettings) throws -> Store
    {
        let configuration = StoreConfiguration(
            path: folder.path("store.sqlite"),
            name: "test",
            model: model,
            environment: StoreEnvironment(
                wallTime: { now },
                random: { UInt64.random(in: .min ... .max) }
            )
        )
        return try Store.open(configuration, migrator: Migrator(migration))
    }

    /// The file with the proof that the store goes on as its writer.
    private var token: String {
        var status = stat()
        stat(path, &status)
        return "\(StoreEnvironment.system.tokens(status.st_uid) ?? "")/\(status.st_dev)-\(status.st_ino)"
    }

    /// Takes away the proof, as a boot does.
    package func boot() { unlink(token) }

    /// Has the proof of another replica, as a machine that was resumed twice from its memory.
    package func takeToken(of other: Replica) throws {
        boot()
        try FileManager.default.copyItem(atPath: other.token, toPath: token)
    }

    package var path: String { folder.path("store.sqlite") }

    // MARK: Writing

    @discardableResult
    package func commit(_ changes: Change...) throws -> CommittedTransaction {
        try store.write { try $0.commit(LocalTransaction(changes: changes)) }
    }

    /// Applies a transaction of another writer, in slices of at most `slice` changes.
    @discardableResult
    package func apply(_ transaction: ForeignTransaction, slice: Int = .max) throws -> CommittedTransaction {
        try store.write { try $0.apply(transaction, slice: slice) }
    }

    /// Applies transactions of other writers in one SQLite transaction.
    package func apply(together transactions: [ForeignTransaction], slice: Int = .max) throws {
        try store.write { write in
            for transaction in transactions { try write.apply(transaction, slice: slice) }
        }
    }

    package func apply(_ transactions: [ForeignTransaction]) throws {
        for transaction in transactions { try apply(transaction) }
    }

    // MARK: Reading

    package func dump() throws -> String { try store.read { try $0.mergeState.dump() } }

    /// The lines in which the dump of another replica differs from this one's.
    package static func difference(_ first: String, _ second: String) -> String {
        let (left, right) = (first.split(separator: "\n"), second.split(separator: "\n"))
        return right.difference(from: left).map { change in
            switch change {
            case .insert(_, let line, _): "+ \(line)"
            case .remove(_, let line, _): "- \(line)"
            }
        }.joined(separator: "\n")
    }

    package func digest() throws -> String { try store.read { try $0.mergeState.digest().digest } }

    /// The visible object's values by name; nil when it is not visible.
    package func values(_ entity: String, _ id: UniqueID) throws -> [String: PropertyValue]? {
        let root = store.model.entity(named: entity)?.root ?? entity
        return try store.read { reader in
            try reader.row(id, rootEntity: root).map { row in
                Dictionary(uniqueKeysWithValues: zip(row.entity.properties.map(\.name), row.values))
            }
        }
    }
}

extension WriteTransaction {
    /// Applies a transaction of another writer, in slices of at most `slice` changes.
    @discardableResult
    package func apply(_ transaction: ForeignTransaction, slice: Int = .max) throws -> CommittedTransaction {
        try beginImport(writer: transaction.writer, header: transaction.header)
        var rest = transaction.changes[...]
        while !rest.isEmpty {
            try apply(Array(rest.prefix(slice)))
            rest = rest.dropFirst(slice)
        }
        return try endImport()
    }
}
