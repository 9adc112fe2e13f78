import GRDB
package import TributaryChanges
package import TributaryModel
package import TributaryStore

/// Reads and writes a store in the middle of a migration.
///
/// Valid only inside the closure that it is given to. Its writes are ordinary changes: they have versions, are in
/// history, and are exported to other writers.
package final class MigrationEdit {
    package let model: Model
    package let reader: Reader
    package var configuration: StoreConfiguration { reader.context.configuration }
    private let write: WriteTransaction
    /// The version that the store has left; nil while the store is still at it.
    private let oldModel: Model?
    private var pending: [Change] = []
    static let batch = 5_000

    init(_ db: Database, configuration: StoreConfiguration, layout: StoreModel, oldModel: Model? = nil) {
        model = layout.model
        self.oldModel = oldModel
        reader = Reader(database: db, context: StoreContext(configuration: configuration, layout: layout))
        write = WriteTransaction(reader: reader, decidesShadows: false)
    }

    /// Adds a change to the next batch.
    package func add(_ change: Change) throws {
        pending.append(change)
        if pending.count >= MigrationEdit.batch { try flush() }
    }

    /// Writes the added changes; nothing becomes a shadow before the migration has ended.
    package func flush() throws {
        guard !pending.isEmpty else { return }
        _ = try write.commit(LocalTransaction(author: UnloggedTransaction.author, changes: pending))
        pending = []
    }

    /// A deferred value in the form of the log, with its type in the older version, if that is known.
    package struct Former {
        package var value: JSONValue
        package var type: AttributeType?
    }

    /// The deferred value of an object's property; of several writes the newest.
    package func former(_ property: String, of id: UniqueID) throws -> Former? {
        let select = try BoundStatement(
            reader.database,
            """
            SELECT p.value, p.entity FROM tributary_parked p
            JOIN tributary_transaction t ON t.number = p.version
            JOIN tributary_writer w ON w.id = t.writer
            WHERE p.id = ?1 AND p.property = ?2 AND p.part >= 0
            ORDER BY t.clock DESC, w.uuid DESC, p.version DESC, p.position DESC, p.part DESC LIMIT 1
            """
        )
        select.bind(1, id)
        select.bind(2, property)
        let found = try select.first { (JSONValue(text: $0.text(0)), $0.text(1)) }
        guard let found, let value = found.0 else { return nil }
        return Former(value: value, type: formerType(of: property, entity: found.1))
    }

    private func formerType(of property: String, entity name: String) -> AttributeType? {
        let all = oldModel?.entities ?? []
        let named = all.filter { ($0.name == name || $0.root == name) && $0.property(named: property) != nil }
        // The entity may have been renamed.
        let types = Set((named.isEmpty ? all : named).compactMap { $0.property(named: property)?.attribute?.type })
        return types.count == 1 ? types.first : nil
    }
}
