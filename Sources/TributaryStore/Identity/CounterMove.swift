import GRDB
import TributaryChanges
import TributaryModel

/// Moves what transactions have counted from the totals of one writer to those of another.
struct CounterMove {
    private let layout: StoreModel
    private let table: CounterTable
    /// The rows of the two writers.
    private let former: Int64
    private let new: Int64

    init(_ db: Database, layout: StoreModel, from former: Int64, to new: Int64) {
        self.layout = layout
        self.former = former
        self.new = new
        table = CounterTable(db, layout: layout)
    }

    /// Moves the counts of transactions, given in order; the sum of all totals stays.
    ///
    /// The former writer keeps what it has counted otherwise, which may be more than before the transactions: a later
    /// model may have added amounts that were deferred.
    func run(_ totals: [CountedTotals]) throws {
        var sums: [CountedTotals.Counter: (hadTotal: Bool, sum: PropertyValue)] = [:]
        for (counter, count) in totals.lazy.flatMap(\.counts) {
            guard let sum = count.added(to: sums[counter]?.sum) else { continue }
            sums[counter] = (sums[counter]?.hadTotal ?? (count.before != nil), sum)
        }
        for (counter, moved) in sums {
            guard let column = column(of: counter),
                let total = try table.total(writer: former, of: counter.id, column)
            else { continue }
            let rest = CounterTotals.difference(total, moved.sum)
            let isEmpty = !moved.hadTotal && (rest == .integer(0) || rest == .double(0))
            try table.setTotal(isEmpty ? nil : rest, writer: former, of: counter.id, column)
            try table.setTotal(moved.sum, writer: new, of: counter.id, column)
        }
    }

    /// The counter's column; nil when the model has none any more.
    private func column(of counter: CountedTotals.Counter) -> StoreModel.ColumnIndex? {
        guard let table = layout.tables.first(where: { $0.code == counter.root }),
            table.columns.indices.contains(Int(counter.place)),
            table.columns[Int(counter.place)].mergeRule == .counter
        else { return nil }
        return StoreModel.ColumnIndex(table: table.index, column: Int(counter.place))
    }
}
