import TributaryChanges

/// The targets of one-to-one relationships whose owner is to be decided once shadows have been decided about.
final class UndecidedOwners {
    private struct Target: Hashable {
        var column: StoreModel.ColumnIndex
        var id: UniqueID
    }

    @exclusivity(unchecked) private var targets: Set<Target> = []

    func insert(_ column: StoreModel.ColumnIndex, _ id: UniqueID) { targets.insert(Target(column: column, id: id)) }

    /// Returns the targets in one order and forgets them.
    func take() -> [(column: StoreModel.ColumnIndex, target: UniqueID)] {
        guard !targets.isEmpty else { return [] }
        defer { targets = [] }
        return targets.sorted { left, right in
            (left.column.table, left.column.column, left.id) < (right.column.table, right.column.column, right.id)
        }
        .map { ($0.column, $0.id) }
    }
}
