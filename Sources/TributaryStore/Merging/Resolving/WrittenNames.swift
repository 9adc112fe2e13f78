import TributaryChanges

/// A name under which a transaction writes a property: the present one is greater than the former ones.
struct WrittenName: Hashable, Comparable {
    let name: String
    let isPresent: Bool

    init(_ name: String, isPresent: Bool) {
        (self.name, self.isPresent) = (name, isPresent)
    }

    static func < (left: WrittenName, right: WrittenName) -> Bool {
        left.isPresent == right.isPresent ? left.name.precedesByBytes(right.name) : right.isPresent
    }
}

/// The names under which the current transaction has written properties that have had several names.
///
/// While a column has one name, all of its registers with the version of the transaction were written under it, so
/// nothing is kept about them. From the second name on, each write is recorded.
final class WrittenNames {
    private struct Cell: Hashable {
        var column: StoreModel.ColumnIndex
        var id: UniqueID
    }

    @exclusivity(unchecked) private var number: Int64 = 0
    @exclusivity(unchecked) private var firsts: [StoreModel.ColumnIndex: WrittenName] = [:]
    @exclusivity(unchecked) private var withSeveralNames: Set<StoreModel.ColumnIndex> = []
    @exclusivity(unchecked) private var cells: [Cell: WrittenName] = [:]

    /// Call it before the changes are merged; returns whether the transaction has also written a column of the shape
    /// under another name.
    func note(_ shape: ChangeShape, table: Int, _ cursor: TransactionCursor) -> Bool {
        guard !shape.renamed.isEmpty else { return false }
        if number != cursor.number {
            (number, firsts, withSeveralNames, cells) = (cursor.number, [:], [], [:])
        }
        for (column, name) in shape.renamed {
            let index = StoreModel.ColumnIndex(table: table, column: column)
            // A transaction wrote at its import under the names that the property had then.
            let first = firsts[index] ?? (cursor.isReplaying ? WrittenName("", isPresent: true) : name)
            firsts[index] = first
            if first != name { withSeveralNames.insert(index) }
        }
        return shape.renamed.contains { column, _ in
            withSeveralNames.contains(StoreModel.ColumnIndex(table: table, column: column))
        }
    }

    /// Whether a write counts: it does not when the transaction has written the register under a greater name.
    ///
    /// `version` is the present version of the register; it is looked up only for columns with several names.
    func counts(
        _ name: WrittenName,
        _ column: StoreModel.ColumnIndex,
        _ id: UniqueID,
        over version: @autoclosure () throws -> Int64?
    ) rethrows -> Bool {
        guard withSeveralNames.contains(column) else { return true }
        let cell = Cell(column: column, id: id)
        if try version() == number, let known = cells[cell] ?? firsts[column], name < known { return false }
        cells[cell] = name
        return true
    }
}
