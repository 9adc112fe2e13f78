import TributaryChanges

/// What is known of a transaction while its changes are being applied, some of which may wait until those of later ones
/// have come.
///
/// `@unchecked Sendable`: touched in the writer's turn only until the commit, then only read.
final class AppliedTransaction: @unchecked Sendable {
    /// Counts the store's transactions; the version of what it writes.
    let number: Int64
    /// The row of its writer.
    let writer: Int64
    /// One thread at a time notes what was changed, tens of thousands of times a transaction: the check would cost more
    /// than the work.
    @exclusivity(unchecked) var effects: TransactionEffects
    /// Records for history that are not in the store yet; see ``HistoryWriter``.
    @exclusivity(unchecked) var records: [UInt8] = []

    init(number: Int64, writer: Int64, effects: TransactionEffects) {
        self.number = number
        self.writer = writer
        self.effects = effects
    }
}
