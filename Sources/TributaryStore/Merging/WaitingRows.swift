import TributaryChanges

/// Plain inserts and updates of imported transactions that have been looked at and not yet been applied.
///
/// Applied sorted by table and ID, those of many transactions together, they find the pages of the store one after the
/// other instead of each by itself. Nothing that follows them sees the difference: whatever is not like them has them
/// applied first.
final class WaitingRows {
    /// So many wait at most: as many changes as the importer commits at once.
    static let limit = 20_000
    /// 4 MiB of texts wait at most, and those of one more run.
    static let byteLimit = 4 << 20

    struct Row {
        var id: UniqueID
        var table: Int32
        var shape: Int32
        /// Its place among those that wait.
        var order: Int32
        var transaction: Int32
        var run: Int32
        /// Its place in the run.
        var index: Int32
    }

    /// Whether rows may wait at all: somebody must see to it that they are applied before the commit.
    @exclusivity(unchecked) var isAllowed = false
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
