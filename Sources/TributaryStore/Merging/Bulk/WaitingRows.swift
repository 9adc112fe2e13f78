import TributaryChanges

/// The changes that wait for ``BulkPath``; any other change first merges them, so waiting changes no state.
final class WaitingRows {
    /// The importer commits at most so many changes at once.
    static let limit = 100_000
    /// The last run may exceed it.
    static let byteLimit = 4 << 20

    struct Row {
        var id: UniqueID
        var table: Int32
        var run: Int32
        var index: Int32
    }

    @exclusivity(unchecked) private(set) var rows: [Row] = []
    @exclusivity(unchecked) private(set) var runs: [(rows: RowRun, shape: Int, transaction: AppliedTransaction)] = []
    @exclusivity(unchecked) private(set) var transactions: [AppliedTransaction] = []
    private var bytes = 0
    /// Whether all rows have arrived in the order of tables and IDs, including the rows that are merged already.
    @exclusivity(unchecked) private(set) var areInOrder = true
    @exclusivity(unchecked) private var last: Row?

    var isEmpty: Bool { rows.isEmpty }
    var isFull: Bool { rows.count >= WaitingRows.limit || bytes >= WaitingRows.byteLimit }

    func begin(_ run: RowRun, shape: Int, of transaction: AppliedTransaction) {
        runs.append((run, shape, transaction))
        bytes += run.byteCount
        if transactions.last !== transaction { transactions.append(transaction) }
    }

    func isDeletion(_ row: Row) -> Bool { shape(of: row) < 0 }

    @inline(__always)
    func shape(of row: Row) -> Int { runs[Int(row.run)].shape }

    @inline(__always)
    func append(_ index: Int, table: Int) {
        let run = runs.count - 1
        let row = Row(
            id: runs[run].rows.id(index),
            table: Int32(truncatingIfNeeded: table),
            run: Int32(truncatingIfNeeded: run),
            index: Int32(truncatingIfNeeded: index)
        )
        if areInOrder, let last { areInOrder = (last.table, last.id) <= (row.table, row.id) }
        last = row
        rows.append(row)
    }

    /// A stable sort: the rows of an object keep their order.
    func sort() {
        guard !areInOrder else { return }
        rows.sort { left, right in
            if left.table != right.table { return left.table < right.table }
            if left.id != right.id { return left.id < right.id }
            return (left.run, left.index) < (right.run, right.index)
        }
    }

    func removeAll() {
        rows.removeAll(keepingCapacity: true)
        runs.removeAll(keepingCapacity: true)
        transactions.removeAll(keepingCapacity: true)
        bytes = 0
    }
}
