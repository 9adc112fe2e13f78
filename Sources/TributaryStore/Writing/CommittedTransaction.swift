package import TributaryChanges

package struct CommittedTransaction: Sendable {
    package var number: Int64
    package var writer: UniqueID
    package var sequence: UInt64
    package var history: String?
    package var changeCount: Int
    package var deferredCount: Int
    private let applied: AppliedTransaction
    /// Kept, because the changes of a local transaction are requested more than once.
    private let known: ObjectChanges?

    init(number: Int64, writer: UniqueID, history: String? = nil, header: TransactionHeader, engine: MergeEngine) {
        self.number = number
        self.writer = writer
        self.history = history
        sequence = header.sequence
        changeCount = engine.cursor.changeCount
        deferredCount = engine.cursor.deferredCount
        applied = engine.effects.current
        known = engine.cursor.isLocal ? TransactionEffects.changes(of: [engine.effects.current.effects]) : nil
    }

    package var changes: ObjectChanges { known ?? TransactionEffects.changes(of: [applied.effects]) }

    package static func changes(of transactions: [CommittedTransaction]) -> ObjectChanges {
        TransactionEffects.changes(of: transactions.map(\.applied.effects))
    }
}
