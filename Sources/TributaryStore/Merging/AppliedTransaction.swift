import TributaryChanges

/// The state of a transaction while its changes are being applied, some of them after those of later transactions.
///
/// `@unchecked Sendable`: it is changed only with the write lock held, and only read after the commit.
final class AppliedTransaction: @unchecked Sendable {
    let number: Int64
    let writer: Int64
    /// One thread at a time records changes, tens of thousands in a transaction: the check for overlapping accesses
    /// would cost more than the work.
    @exclusivity(unchecked) var effects: TransactionEffects
    /// Records for history that are not in the store yet; see ``HistoryWriter``.
    @exclusivity(unchecked) var records: [UInt8] = []

    init(number: Int64, writer: Int64, effects: TransactionEffects) {
        self.number = number
        self.writer = writer
        self.effects = effects
    }
}
