import TributaryChanges

/// The transaction that is being merged; one thread uses it, so no checks for overlapping accesses are needed.
final class TransactionCursor {
    @exclusivity(unchecked) private(set) var number: Int64 = 0
    /// The transaction that last changed the rows: `number`, or the later transaction that merged deferred lines.
    @exclusivity(unchecked) private(set) var revision: Int64 = 0
    @exclusivity(unchecked) private(set) var writer: Int64 = 0
    /// Local changes that the model cannot represent, and local inserts of visible objects, are errors.
    @exclusivity(unchecked) private(set) var isLocal = false
    @exclusivity(unchecked) private(set) var changeCount = 0
    @exclusivity(unchecked) var deferredCount = 0
    @exclusivity(unchecked) private(set) var isJoining = false
    @exclusivity(unchecked) var isBound = false
    /// Whether the changes come in the order of their transaction; the cells of a baseline have no order.
    @exclusivity(unchecked) var isInOrder = true
    @exclusivity(unchecked) var touched = TouchedObjects()

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

    /// A baseline keeps the order of changes but not their indexes, so its changes get positions below zero.
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
