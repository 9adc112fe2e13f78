import TributaryChanges

/// Plain inserts and updates of imported transactions that wait to be merged.
///
/// Merged in the order of tables and identifiers, those of many transactions together, they find the pages of the store one
/// after the other. A change of any other kind has them merged first, so that no change sees the difference.
final class WaitingRows {
    /// How many rows wait at most: as many changes as the importer commits at once.
    static let limit = 20_000
    /// How many bytes of texts wait at most, besides those of one more run.
    static let byteLimit = 4 << 20

    struct Row {
        var id: UniqueID
        var table: Int32
        var shape: Int32
        /// Its index among the waiting rows.
        var order: Int32
        var transaction: Int32
        var run: Int32
        /// Its index in the run.
        var index: Int32
    }

    @exclusivity(unchecked) private(set) var rows: [Row] = []
    @exclusivity(unchecked) private(set) var runs: [RowRun] = []
    @exclusivity(unchecked) private(set) var transactions: [AppliedTransaction] = []
    private var bytes = 0

    var isEmpty: Bool { rows.isEmpty }
    var isFull: Bool { rows.count >= WaitingRows.limit || bytes >= WaitingRows.byteLimit }

    /// The run's rows follow.
    func begin(_ run: RowRun, of transaction: AppliedTransaction) {
        runs.append(run)
        bytes += run.textCount
        if transactions.last !== transaction { transactions.append(transaction) }
    }

    @inline(__always)
    func append(_ index: Int, table: Int, shape: Int) {
        let run = runs.count - 1
        rows.append(
            Row(
                id: runs[run].id(index),
                table: Int32(truncatingIfNeeded: table),
                shape: Int32(truncatingIfNeeded: shape),
                order: Int32(truncatingIfNeeded: rows.count),
                transaction: Int32(truncatingIfNeeded: transactions.count - 1),
                run: Int32(truncatingIfNeeded: run),
                index: Int32(truncatingIfNeeded: index)
            )
        )
    }

    /// Orders the rows by table and ID; those of one object stay in order.
    func sort() {
        let isSorted = zip(rows, rows.dropFirst()).allSatisfy { $0.table == $1.table && $0.id <= $1.id }
        guard !isSorted else { return }
        rows.sort { left, right in
            if left.table != right.table { return left.table < right.table }
            if left.id != right.id { return left.id < right.id }
            return left.order < right.order
        }
    }

    func removeAll() {
        rows.removeAll(keepingCapacity: true)
        runs.removeAll(keepingCapacity: true)
        transactions.removeAll(keepingCapacity: true)
        bytes = 0
    }
}
