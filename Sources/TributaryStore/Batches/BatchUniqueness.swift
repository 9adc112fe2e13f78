import GRDB
import TributaryChanges
import TributaryModel

/// Finds visible objects with the unique keys of the rows of a batch.
final class BatchUniqueness {
    private struct Constraint {
        let names: [String]
        let propertyIndexes: [Int]
        let columns: [Int]
        /// The codes of the entities whose objects share the key; nil when the table has only one entity.
        let owners: String?

        /// Nil when the entity does not store all properties of the key.
        init?(_ names: [String], of entity: EntityLayout, _ layout: StoreModel) {
            self.names = names
            propertyIndexes = names.compactMap { entity.entity.propertyIndex(named: $0) }
            columns = propertyIndexes.compactMap { entity.propertyColumns[$0] }
            guard columns.count == names.count else { return nil }
            let codes = layout.codes(ofUniqueKey: names, of: entity.entity).map(String.init)
            owners = layout.tables[entity.table].hasEntityColumn ? codes.joined(separator: ", ") : nil
        }

        func condition(_ alias: String, in table: TableLayout, equals value: (_ place: Int, _ name: String) -> String)
            -> String
        {
            var conditions = columns.enumerated().map { place, column in
                let name = table.columns[column].quotedName
                return "\(alias).\(name) = \(value(place, name))"
            }
            if let owners { conditions.append("\(alias)._entity IN (\(owners))") }
            return conditions.joined(separator: " AND ")
        }
    }

    private struct Key: Hashable {
        var constraint: Int
        var values: [PropertyValue]
    }

    private let reading: RowReading
    private var constraints: [(key: Constraint, find: BoundStatement)] = []
    private var pending: [Key: Int] = [:]

    var isEmpty: Bool { constraints.isEmpty }

    init(_ properties: BatchProperties, reader: Reader) throws {
        let table = properties.table
        reading = RowReading(table: table, context: reader.context)
        for names in properties.entity.entity.uniquenessConstraints {
            guard let key = Constraint(names, of: properties.entity, properties.layout) else { continue }
            let find = try BoundStatement(
                reader.database,
                """
                SELECT \(reading.columns(alias: "o")) FROM \(table.quotedName) o
                WHERE \(key.condition("o", in: table) { place, _ in "?\(place + 1)" }) LIMIT 1
                """
            )
            constraints.append((key, find))
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
        for (index, constraint) in constraints.enumerated() {
            let key = constraint.key.propertyIndexes.map { values[$0] }
            if key.contains(.null) { continue }
            if pending[Key(constraint: index, values: key)] != nil { return .pending }
            for (index, value) in key.enumerated() { constraint.find.bind(Int32(index + 1), value) }
            if let row = try constraint.find.first({ reading.row($0) }), let row {
                return .stored(row, properties: constraint.key.names)
            }
        }
        return .none
    }

    func addPending(_ values: [PropertyValue], row: Int) {
        for (index, constraint) in constraints.enumerated() {
            let key = constraint.key.propertyIndexes.map { values[$0] }
            if !key.contains(.null) { pending[Key(constraint: index, values: key)] = row }
        }
    }

    func removePending() { pending.removeAll(keepingCapacity: true) }

    /// Finds two objects with one key, at least one of which the transaction has changed.
    static func violation(
        _ properties: BatchProperties,
        propertyIndexes: Set<Int>,
        number: Int64,
        reader: Reader
    ) throws -> BatchError? {
        let table = properties.table
        let reading = RowReading(table: table, context: reader.context)
        let related =
            [properties.entity]
            + properties.entity.entity.subentities.compactMap {
                properties.layout.entity(named: $0)
            }
        let written = Set(propertyIndexes.compactMap { properties.entity.propertyColumns[$0] })
        let all = Set(related.flatMap { $0.entity.uniquenessConstraints })
        for names in all.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            guard let holder = related.first(where: { $0.entity.uniquenessConstraints.contains(names) }),
                let key = Constraint(names, of: holder, properties.layout), !written.isDisjoint(with: key.columns)
            else { continue }
            let find = try BoundStatement(
                reader.database,
                """
                SELECT \(reading.idColumns(alias: "x")) FROM \(table.quotedName) o CROSS JOIN \(table.quotedName) x
                WHERE o._revision = ?1 AND x._id <> o._id AND \(key.condition("x", in: table) { "o.\($1)" })
                    \(key.owners.map { "AND o._entity IN (\($0))" } ?? "") LIMIT 1
                """
            )
            find.bind(1, number)
            if let id = try find.first({ reading.objectID($0) }), let id {
                return .constraint(row: nil, properties: names, existing: id)
            }
        }
        return nil
    }
}
