package import GRDB
package import TributaryChanges
import TributaryModel

/// A migration's transaction, which the log does not contain.
package struct UnloggedTransaction {
    package static let author = "migration"

    let engine: MergeEngine

    /// Nil without effects; `decidesShadows` is false during a migration, which sees no shadows.
    @discardableResult
    package static func run(
        _ db: Database,
        _ context: StoreContext,
        decidesShadows: Bool = true,
        _ block: (UnloggedTransaction) throws -> Void
    ) throws -> Int64? {
        let engine = try MergeEngine(db, layout: context.layout, blobs: context.blobs)
        engine.uniqueness.isSuspended = !decidesShadows
        let writers = try WriterTable(db)
        let own = try writers.position(of: writers.own)
        let number = try TransactionTable(db).insert(
            TransactionHeader(sequence: 0, clock: own.clock, author: author, changeCount: 0),
            writer: own.id,
            at: context.configuration.environment.wallTime()
        )
        engine.begin(number: number, version: .none, origin: WriteOrigin(writer: own.id, sequence: 0), isLocal: false)
        try block(UnloggedTransaction(engine: engine))
        try engine.end()
        guard engine.effects.current.effects.isEmpty else { return number }
        try TransactionTable(db).remove(number)
        return nil
    }

    package func merge(_ lines: [DeferredWriteTable.Line]) throws { try engine.apply(lines) }

    package func merge(bound: DeferredWriteTable.Entry) throws { try engine.apply(bound: bound) }

    func shadows() throws -> [Int64: [UniqueID: UniqueID]] {
        let tables = engine.tables
        var found: [Int64: [UniqueID: UniqueID]] = [:]
        for table in tables.layout.tables {
            for id in try tables.shadows.all(table.index) {
                found[table.code, default: [:]][id] = try tables.shadows.representative(of: id, table.index)
            }
        }
        return found
    }

    package func decideOwner(of target: UniqueID, in column: StoreModel.ColumnIndex) throws {
        try engine.objects.references.decide(target, column)
    }

    package func hide(_ id: UniqueID, table: Int) throws {
        // The object was visible before this transaction, and only a visible object can be withdrawn.
        engine.tables.visibility.set(table, id, isVisible: true)
        try engine.objects.withdraw(table, id)
        guard let partial = try engine.tables.partialRows.row(table, id) else { return }
        for (column, register) in partial.registers {
            let index = StoreModel.ColumnIndex(table: table, column: column)
            guard case .reference(_, true, _) = engine.tables.layout[index].kind,
                case .reference(let target) = register.value
            else { continue }
            try decideOwner(of: target, in: index)
        }
    }
}
