import TributaryChanges

/// The transaction that is being merged, with the number of its version.
///
/// It is read for each change and belongs to one thread, so its properties skip the checks for overlapping accesses.
final class TransactionCursor {
    /// The number for the version of the changes.
    @exclusivity(unchecked) private(set) var number: Int64 = 0
    /// The number of the transaction that last changed the rows.
    ///
    /// It is `number`, except for lines that take effect in a later transaction.
    @exclusivity(unchecked) private(set) var revision: Int64 = 0
    @exclusivity(unchecked) private(set) var writer: Int64 = 0
    /// In a local transaction, a change that the model cannot represent and an insert of a visible object are errors.
    ///
    /// In other transactions the change is deferred and the insert is merged.
    @exclusivity(unchecked) private(set) var isLocal = false
    @exclusivity(unchecked) private(set) var changeCount = 0
    @exclusivity(unchecked) var deferredCount = 0
    @exclusivity(unchecked) private(set) var isJoining = false
    @exclusivity(unchecked) var isBound = false
    /// Whether the changes are lines of their transaction in its order: a baseline has cells, which have no order.
    @exclusivity(unchecked) var isInOrder = true
    @exclusivity(unchecked) var touched = TouchedObjects()

    /// The positions of deferred writes that a baseline brings; see ``position(_:)``.
    static let joinedPositions = -(1 << 39) ... -(1 << 38)

    func begin(number: Int64, writer: Int64, isLocal: Bool) {
        self.number = number
        self.writer = writer
        self.isLocal = isLocal
        revision = number
        changeCount = 0
        deferredCount = 0
        touched.removeAll()
        (isJoining, isInOrder) = (false, true)
    }

    func beginJoin() { (isJoining, isInOrder) = (true, false) }

    /// Returns the position under which a change is deferred.
    ///
    /// A change of a log transaction has its index there. A baseline keeps the order of a transaction's changes but not
    /// their indexes, so their positions are below zero.
    func position(_ index: Int) -> Int {
        guard isJoining else { return index }
        let positions = TransactionCursor.joinedPositions
        return min(positions.lowerBound + index, positions.upperBound)
    }

    func resume(number: Int64, writer: Int64) {
        if number != self.number { touched.removeAll() }
        self.number = number
        self.writer = writer
    }

    /// Continues a transaction with changes that were waiting.
    func move(to transaction: AppliedTransaction, number: Int64, revision: Int64) {
        writer = transaction.writer
        self.number = number
        self.revision = revision
    }

    func countChanges(_ count: Int) -> Int {
        defer { changeCount += count }
        return changeCount
    }
}
