import TributaryChanges
import TributaryModel

/// Finds visible objects with the unique keys of the rows of a batch.
final class BatchUniqueness {
    private let keys: KeyTable
    private let reader: Reader
    private let table: TableLayout
    private let constraints: [(constraint: UniqueConstraint, propertyIndexes: [Int])]
    private var pending: Set<StoredKey> = []

    var isEmpty: Bool { constraints.isEmpty }

    init(_ properties: BatchProperties, _ keys: KeyTable, reader: Reader) {
        (self.keys, self.reader, table) = (keys, reader, properties.table)
        let entity = properties.entity.entity
        let index = properties.layout.entityIndex(named: entity.name)
        let all = properties.layout.uniqueConstraints[table.index].filter { index.map($0.entities.contains) == true }
        // In the order of the model, as a row may collide with several objects.
        constraints = entity.uniquenessConstraints.compactMap { names in
            guard let constraint = all.first(where: { $0.names == names }) else { return nil }
            return (constraint, names.compactMap { entity.propertyIndex(named: $0) })
        }
    }

    enum Collision {
        case none
        case stored(Row, properties: [String])
        /// A row of this batch that is not in the store yet.
        case pending
    }

    /// `values` are indexed by property index.
    func collision(of values: [PropertyValue]) throws -> Collision {
        for (constraint, key) in self.keys(of: values) {
            if pending.contains(key) { return .pending }
            for id in try keys.visibleHolders(of: key, table.index) {
                guard let row = try reader.row(id, rootEntity: table.root.name) else { continue }
                return .stored(row, properties: constraint.names)
            }
        }
        return .none
    }

    func addPending(_ values: [PropertyValue]) { pending.formUnion(keys(of: values).map(\.key)) }

    func removePending() { pending.removeAll(keepingCapacity: true) }

    private func keys(of values: [PropertyValue]) -> [(constraint: UniqueConstraint, key: StoredKey)] {
        constraints.compactMap { constraint, propertyIndexes in
            StoredKey(constraint.index, propertyIndexes.map { values[$0] }).map { (constraint, $0) }
        }
    }
}
