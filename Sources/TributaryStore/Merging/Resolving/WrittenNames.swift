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

/// The names under which the transaction that is being merged has written properties that have had several.
///
/// While a column has one name, all of its registers with the version of the transaction were written under it, so that
/// nothing is kept of them. From its second name on, each write is noted.
final class WrittenNames {
    private struct Cell: Hashable {
        var column: StoreModel.ColumnIndex
        var id: UniqueID
    }

    @exclusivity(unchecked) private var number: Int64 = 0
    @exclusivity(unchecked) private var firsts: [StoreModel.ColumnIndex: WrittenName] = [:]
    @exclusivity(unchecked) private var withSeveralNames: Set<StoreModel.ColumnIndex> = []
    @exclusivity(unchecked) private var cells: [Cell: WrittenName] = [:]

    /// Notes the names that changes of a shape write, before they are merged.
    ///
    /// - Returns: whether the transaction has written a column of the shape under another name as well.
    func note(_ shape: ChangeShape, table: Int, _ cursor: TransactionCursor) -> Bool {
        guard !shape.renamed.isEmpty else { return false }
        if number != cursor.number {
            (number, firsts, withSeveralNames, cells) = (cursor.number, [:], [], [:])
        }
        for (column, name) in shape.renamed {
            let index = StoreModel.ColumnIndex(table: table, column: column)
            // What a transaction wrote when it was imported, it has written under the names that the property had then.
            let first = firsts[index] ?? (cursor.isReplaying ? WrittenName("", isPresent: true) : name)
            firsts[index] = first
            if first != name { withSeveralNames.insert(index) }
        }
        return shape.renamed.contains { column, _ in
            withSeveralNames.contains(StoreModel.ColumnIndex(table: table, column: column))
        }
    }

    /// Decides whether a write counts: not when the transaction has written the register under a greater name.
    ///
    /// - Parameters:
    ///   - name: The name of the write.
    ///   - column: The register's column.
    ///   - id: The register's object.
    ///   - version: The number of the register's version so far, looked up for columns with several names only.
    /// - Returns: Whether it counts.
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
