package import GRDB
package import TributaryChanges
import TributaryModel

/// A transaction of this store alone, which the log does not contain: a migration merges changes in it.
///
/// Valid only inside the closure that it is given to.
package struct UnloggedTransaction {
    /// The author in history.
    package static let author = "migration"

    let engine: MergeEngine

    /// Merges inside a transaction without a sequence; a transaction without effects leaves nothing behind.
    ///
    /// Without `decidesShadows`, it does not decide which objects with shared unique keys are visible: a running
    /// migration sees no shadows. Returns the number of the transaction; nil when it had no effects.
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
        // A transaction without effects needs no change notification.
        guard engine.effects.current.effects.isEmpty else { return number }
        try TransactionTable(db).remove(number)
        return nil
    }

    /// Merges successive kept lines of a transaction with its version; its next lines may follow.
    package func merge(_ lines: [DeferredWriteTable.Line]) throws { try engine.apply(lines) }

    /// Merges a greatest or least value of a baseline.
    package func merge(bound: DeferredWriteTable.Entry) throws { try engine.apply(bound: bound) }

    /// The representative of each shadow, by the code of the table and the identifier of the shadow.
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

    /// Decides again which of the registers in a one-to-one column shows an object.
    package func decideOwner(of target: UniqueID, in column: StoreModel.ColumnIndex) throws {
        try engine.objects.references.decide(target, column)
    }

    /// Clears the references to an object that is not visible any more, and decides the owners of its targets again.
    package func hide(_ id: UniqueID, table: Int) throws {
        // The object was visible before this transaction; it is withdrawn only while it counts as visible.
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
