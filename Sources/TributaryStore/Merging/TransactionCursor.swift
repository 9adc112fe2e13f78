import TributaryChanges

/// The transaction whose changes are being merged, with the version number of the current change.
///
/// It is read for each change and belongs to one thread, so its properties are exempt from the checks for overlapping
/// accesses.
final class TransactionCursor {
    /// The version number of the current change; see ``VersionNumber``.
    @exclusivity(unchecked) private(set) var number: Int64 = 0
    /// The number of the store's transaction that counts as the last change of the rows.
    ///
    /// It is the transaction of `number`, except for deferred writes that take effect in a later transaction.
    @exclusivity(unchecked) private(set) var revision: Int64 = 0
    /// The row of the transaction's writer.
    @exclusivity(unchecked) private(set) var writer: Int64 = 0
    /// Whether the transaction is local.
    ///
    /// In a local transaction, a change that the model cannot represent, and an insert of a visible object, are errors;
    /// otherwise the change is deferred and the insert is merged.
    @exclusivity(unchecked) private(set) var isLocal = false
    /// The number of changes of the transaction so far, which is the index of the next change.
    @exclusivity(unchecked) private(set) var changeCount = 0
    /// Whether the versions of further changes include their indexes in the transaction.
    @exclusivity(unchecked) private(set) var keepsIndexes = false
    /// The number of deferred changes and values of the transaction.
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

    /// Switches to a deferred change of an earlier transaction; `number` includes the index of the change.
    func resume(number: Int64, writer: Int64) {
        self.number = number
        self.writer = writer
        keepsIndexes = false
    }

    /// Switches to another transaction that has begun before, and whose changes were waiting.
    func move(to transaction: AppliedTransaction, number: Int64, revision: Int64) {
        writer = transaction.writer
        self.number = number
        self.revision = revision
    }

    /// Includes indexes in later versions, because the order of application differs from that of the transaction.
    func keepIndexes() {
        // The number of a deferred change includes its index already.
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
