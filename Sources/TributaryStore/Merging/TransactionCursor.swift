import TributaryChanges

/// The transaction whose changes are being merged, and the number of the version of the change at hand.
///
/// Asked with each change; it belongs to one thread, so that its properties are exempt from the checks for overlapping
/// accesses.
final class TransactionCursor {
    /// The number of the version of the change at hand; see ``VersionNumber``.
    @exclusivity(unchecked) private(set) var number: Int64 = 0
    /// The number of the store's transaction that rows count as changed by: that of `number`, but for deferred writes that
    /// take effect in a later one.
    @exclusivity(unchecked) private(set) var revision: Int64 = 0
    /// The row of the transaction's writer.
    @exclusivity(unchecked) private(set) var writer: Int64 = 0
    /// Whether the transaction is a local one: a change that the model cannot represent, and an insert of a visible object,
    /// is an error then, and is deferred or merged otherwise.
    @exclusivity(unchecked) private(set) var isLocal = false
    /// How many changes of the transaction came so far: the index of the next.
    @exclusivity(unchecked) private(set) var changeCount = 0
    /// Whether the version of each further change has its index in the transaction.
    @exclusivity(unchecked) private(set) var keepsIndexes = false
    /// How many changes and values of the transaction were deferred.
    @exclusivity(unchecked) var deferredCount = 0

    func begin(number: Int64, writer: Int64, isLocal: Bool) {
        self.number = number
        self.writer = writer
        self.isLocal = isLocal
        revision = number
        changeCount = 0
        deferredCount = 0
        keepsIndexes = false
    }

    /// Goes on with a deferred change of an earlier transaction; `number` includes the index of the change.
    func resume(number: Int64, writer: Int64) {
        self.number = number
        self.writer = writer
        keepsIndexes = false
    }

    /// Goes over to another transaction that has begun before, and whose changes were waiting.
    func move(to transaction: AppliedTransaction, number: Int64, revision: Int64) {
        writer = transaction.writer
        self.number = number
        self.revision = revision
    }

    /// From now on versions have indexes, because the order of application does not tell that of the transaction.
    func keepIndexes() {
        // The number of a deferred change has its index already.
        if VersionNumber.transaction(of: number) == revision { keepsIndexes = true }
    }

    /// Gives the change at `index` of the transaction its version.
    func moveToChange(at index: Int) {
        guard keepsIndexes else { return }
        number = VersionNumber.number(VersionNumber.transaction(of: number), atLeast: index)
    }

    /// Counts further changes.
    ///
    /// - Returns: the index of the first of them.
    func countChanges(_ count: Int) -> Int {
        defer { changeCount += count }
        return changeCount
    }
}
