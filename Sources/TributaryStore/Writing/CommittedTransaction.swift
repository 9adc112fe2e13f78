package import TributaryChanges

/// A transaction that is in the store.
package struct CommittedTransaction: Sendable {
    /// Counts the store's transactions, local and imported ones.
    package var number: Int64
    package var writer: UniqueID
    package var sequence: UInt64
    package var clock: HybridClock
    /// Changes that were merged, and those of them that were deferred.
    package var changeCount: Int
    package var deferredCount: Int
    private let applied: AppliedTransaction
    /// Of a local transaction, whose changes are asked for more than once.
    private let known: ObjectChanges?

    init(number: Int64, writer: UniqueID, header: TransactionHeader, engine: MergeEngine) {
        self.number = number
        self.writer = writer
        sequence = header.sequence
        clock = header.clock
        changeCount = engine.cursor.changeCount
        deferredCount = engine.cursor.deferredCount
        applied = engine.effects.current
        known = engine.cursor.isLocal ? TransactionEffects.changes(of: [engine.effects.current.effects]) : nil
    }

    /// Its effects on objects; those of an imported transaction are collected at each call.
    package var changes: ObjectChanges { known ?? TransactionEffects.changes(of: [applied.effects]) }

    /// The effects of transactions that were committed together, in their order.
    package static func changes(of transactions: [CommittedTransaction]) -> ObjectChanges {
        TransactionEffects.changes(of: transactions.map(\.applied.effects))
    }
}
