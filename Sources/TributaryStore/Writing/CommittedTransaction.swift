package import TributaryChanges

/// A transaction that is in the store.
package struct CommittedTransaction: Sendable {
    /// Counts the store's transactions, local and imported ones.
    package var number: Int64
    package var writer: UniqueID
    package var sequence: UInt64
    package var clock: HybridClock
    /// Changes that were applied, and those of them that were parked.
    package var changeCount: Int
    package var parkedCount: Int
    private let applied: AppliedTransaction
    /// Of a local transaction, whose changes are asked for more than once.
    private let known: ObjectChanges?

    init(number: Int64, writer: UniqueID, header: TransactionHeader, applier: Applier) {
        self.number = number
        self.writer = writer
        sequence = header.sequence
        clock = header.clock
        changeCount = applier.changeCount
        parkedCount = applier.parkedCount
        applied = applier.current
        known = applier.isStrict ? TransactionEffects.changes(of: [applier.current.effects]) : nil
    }

    /// What it did to objects; of an imported transaction it is worked out at each call.
    package var changes: ObjectChanges { known ?? TransactionEffects.changes(of: [applied.effects]) }

    /// What transactions that were committed together did to objects, in their order.
    package static func changes(of transactions: [CommittedTransaction]) -> ObjectChanges {
        TransactionEffects.changes(of: transactions.map(\.applied.effects))
    }
}
