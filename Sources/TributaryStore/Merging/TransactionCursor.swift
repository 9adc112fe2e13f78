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
    /// Whether only the outcome of the transaction is merged, not the writes that later ones of it replace.
    @exclusivity(unchecked) private(set) var mergesOutcome = false
    /// The number of deferred changes and values of the transaction.
    @exclusivity(unchecked) var deferredCount = 0
    /// The number of changes and values that a baseline has deferred; nil while no baseline is joined.
    @exclusivity(unchecked) private var joinedCount: Int?
    var isJoining: Bool { joinedCount != nil }

    /// The indexes in the table of deferred writes of what a baseline brings; see ``deferral(at:)``.
    static let joinedIndexes = -(1 << 39) ... -(1 << 38)

    func begin(number: Int64, writer: Int64, isLocal: Bool) {
        self.number = number
        self.writer = writer
        self.isLocal = isLocal
        revision = number
        changeCount = 0
        deferredCount = 0
        keepsIndexes = false
        mergesOutcome = false
        joinedCount = nil
    }

    /// Merges only the outcome of the transaction, because a clone of its writer may have made equal versions.
    func beginOutcome() { mergesOutcome = true }

    /// Begins to give each deferred write an index of its own, because a baseline does not tell the true one.
    func beginJoin() { joinedCount = 0 }

    /// Counts a deferred change or value.
    ///
    /// A change of a log transaction keeps its index. A baseline tells an index only where it decides, in the number of
    /// the version, so several of its lines may have one index: each gets an index below zero of its own, in the order
    /// of the lines. These indexes lie between those of deletions and those of links that a migration has deferred.
    ///
    /// - Parameter index: The index of the change in its transaction.
    /// - Returns: The number of the version and the index under which the write is kept.
    func deferral(at index: Int) -> (number: Int64, index: Int) {
        deferredCount += 1
        guard let count = joinedCount else {
            keepIndexes()
            return (VersionNumber.number(number, atLeast: index), index)
        }
        joinedCount = count + 1
        return (
            number, min(TransactionCursor.joinedIndexes.lowerBound + count, TransactionCursor.joinedIndexes.upperBound)
        )
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

    /// - Returns: the index of the first of them.
    func countChanges(_ count: Int) -> Int {
        defer { changeCount += count }
        return changeCount
    }
}
