import GRDB
import TributaryChanges
import TributaryModel

/// Merges deferred writes once the model can represent them, with the versions that they have always had.
struct DeferredReplay {
    let db: Database
    let layout: StoreModel
    let configuration: StoreConfiguration

    /// The author of the transaction in history that has their effects; it is not in the log.
    static let author = "migration"

    /// Costs a look at each deferred write, and the merge of those that have an effect now.
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
    /// - Throws: what `body` throws, and ``StoreError`` when the store cannot be read or written.
    func transaction(_ engine: MergeEngine, _ body: (MergeEngine) throws -> Void) throws {
        try db.execute(
            sql: """
                INSERT INTO tributary_transaction(writer, sequence, clock, author, committed_at)
                SELECT id, 0, clock, ?1, ?2 FROM tributary_writer WHERE is_self = 1
                """,
            arguments: [DeferredReplay.author, Double(configuration.environment.wallMilliseconds()) / 1000]
        )
        let number = db.lastInsertedRowID
        engine.begin(number: number, version: .none, writer: 1, isLocal: false)
        try body(engine)
        try engine.end()
        // Nobody needs to be told of a transaction without effects.
        guard engine.effects.current.effects.isEmpty else { return }
        try db.execute(sql: "DELETE FROM tributary_transaction WHERE number = ?", arguments: [number])
    }

    /// The change; one value of an object whose entity is gone as one of the root's when that has the property.
    private func renamedToRoot(_ entry: DeferredWriteTable.Entry) -> Change {
        guard entry.valueIndex != nil, let root = layout.survivingRoot(ofEntity: entry.change.entity),
            let name = entry.change.operation.valueWrites?.writes.first?.name
        else { return entry.change }
        let entity = layout.entities[root].entity
        guard layout.slot(named: name, of: entity) != nil else { return entry.change }
        var change = entry.change
        change.entity = entity.name
        return change
    }

    /// Whether the entity is gone, and other objects keep something of the change.
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
