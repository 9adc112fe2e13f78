import GRDB
import TributaryChanges
import TributaryModel

/// Moves what transactions have counted from the totals of one writer to those of another.
struct CounterMove {
    private let db: Database
    private let layout: StoreModel
    private let table: CounterTable
    /// The rows of the two writers.
    private let former: Int64
    private let new: Int64

    init(_ db: Database, layout: StoreModel, from former: Int64, to new: Int64) {
        self.db = db
        self.layout = layout
        self.former = former
        self.new = new
        table = CounterTable(db, layout: layout)
    }

    /// Moves the counts of transactions, given in order.
    func run(_ totals: [CountedTotals]) throws {
        var before: [CountedTotals.Counter: PropertyValue?] = [:]
        var sums: [CountedTotals.Counter: PropertyValue] = [:]
        for (counter, count) in totals.lazy.flatMap(\.counts) {
            if before[counter] == nil { before[counter] = .some(count.before) }
            sums[counter] = count.added(to: sums[counter])
        }
        for (counter, total) in before {
            guard let column = column(of: counter) else { continue }
            try table.setTotal(total, writer: former, of: counter.id, column)
            try table.setTotal(sums[counter], writer: new, of: counter.id, column)
            try show(counter.id, column)
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

    /// Shows the sum of all totals, which have another order now: a sum of numbers with fractions may differ.
    private func show(_ id: UniqueID, _ column: StoreModel.ColumnIndex) throws {
        guard let value = try table.value(of: id, column) else { return }
        let update = try BoundStatement(
            db,
            "UPDATE \(layout.tables[column.table].quotedName) SET \(layout[column].quotedName) = ?2 WHERE _id = ?1"
        )
        update.bind(1, id)
        update.bind(2, value)
        try update.run()
    }
}
