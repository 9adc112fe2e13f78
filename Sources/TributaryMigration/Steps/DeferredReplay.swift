import GRDB
import TributaryChanges
import TributaryModel

/// Merges deferred writes with their original versions once the model can represent them.
struct DeferredReplay {
    let db: Database
    let layout: StoreModel
    let configuration: StoreConfiguration

    /// The author of the transaction in history that contains the effects; the log does not contain this transaction.
    static let author = "migration"

    /// Merges the deferred writes that the model can represent now.
    ///
    /// The cost is one look at each deferred write, and one merge for each write that takes effect.
    ///
    /// - Throws: ``StoreError`` when the store cannot be read or written.
    func run() throws {
        let table = DeferredWriteTable(db: db)
        let entries = try table.entries().filter { entry in
            layout.entityIndex(named: entry.change.entity) != nil || isKeptElsewhere(entry.change)
        }
        guard !entries.isEmpty else { return }
        let blobs = StoreContext(configuration: configuration, layout: layout).blobs
        try transaction(MergeEngine(db, layout: layout, blobs: blobs)) { engine in
            for entry in entries {
                try table.remove(entry)
                try engine.apply(entry, as: renamedToRoot(entry))
            }
        }
    }

    /// Merges inside a transaction of the store alone, which has no sequence in the log.
    ///
    /// - Throws: what `block` throws, and ``StoreError`` when the store cannot be read or written.
    func transaction(_ engine: MergeEngine, _ block: (MergeEngine) throws -> Void) throws {
        try db.execute(
            sql: """
                INSERT INTO tributary_transaction(writer, sequence, clock, author, committed_at)
                SELECT id, 0, clock, ?1, ?2 FROM tributary_writer WHERE is_self = 1
                """,
            arguments: [DeferredReplay.author, Double(configuration.environment.wallMilliseconds()) / 1000]
        )
        let number = db.lastInsertedRowID
        engine.begin(number: number, version: .none, writer: 1, isLocal: false)
        try block(engine)
        try engine.end()
        // A transaction without effects needs no change notification.
        guard engine.effects.current.effects.isEmpty else { return }
        try db.execute(sql: "DELETE FROM tributary_transaction WHERE number = ?", arguments: [number])
    }

    /// Returns the change; a value of a removed entity becomes one of the root entity when the root has the property.
    private func renamedToRoot(_ entry: DeferredWriteTable.Entry) -> Change {
        guard entry.valueIndex != nil, let root = layout.survivingRoot(ofEntity: entry.change.entity),
            let name = entry.change.operation.valueWrites?.writes.first?.name
        else { return entry.change }
        let entity = layout.entities[root].entity
        guard layout.propertyIndex(named: name, of: entity) != nil else { return entry.change }
        var change = entry.change
        change.entity = entity.name
        return change
    }

    /// Whether the entity was removed and other objects keep a part of the change.
    private func isKeptElsewhere(_ change: Change) -> Bool {
        if layout.survivingRoot(ofEntity: change.entity) != nil { return true }
        let entity = layout.lastName(ofEntity: change.entity)
        return switch change.operation {
        case .insert(let writes), .update(let writes):
            writes.contains { layout.formerKeeper(ofProperty: $0.name, of: entity) != nil }
        case .link(let name, _, _), .unlink(let name, _): layout.formerKeeper(ofProperty: name, of: entity) != nil
        case .delete: false
        }
    }
}
