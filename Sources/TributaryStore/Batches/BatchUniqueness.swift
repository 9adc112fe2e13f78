import GRDB
import TributaryChanges
import TributaryModel

/// Finds visible objects with the unique keys of the rows of a batch.
final class BatchUniqueness {
    private struct Constraint {
        var propertyIndexes: [Int]
        var names: [String]
        var find: BoundStatement
    }

    private struct Key: Hashable {
        var constraint: Int
        var values: [PropertyValue]
    }

    private let reading: RowReading
    private var constraints: [Constraint] = []
    /// The keys of rows that are not in the store yet, each with its row index.
    private var pending: [Key: Int] = [:]

    var isEmpty: Bool { constraints.isEmpty }

    init(_ properties: BatchProperties, reader: Reader) throws {
        let layout = properties.layout
        let table = properties.table
        reading = RowReading(table: table, context: reader.context)
        for names in properties.entity.entity.uniquenessConstraints {
            let propertyIndexes = names.compactMap { properties.entity.entity.propertyIndex(named: $0) }
            let columns = propertyIndexes.compactMap { properties.entity.propertyColumns[$0] }
            guard propertyIndexes.count == names.count, columns.count == names.count else { continue }
            var conditions = columns.enumerated().map { "o.\(table.columns[$1].quotedName) = ?\($0 + 1)" }
            if table.hasEntityColumn {
                let owners = layout.codes(ofUniqueKey: names, of: properties.entity.entity)
                conditions.append("o._entity IN (\(owners.map(String.init).joined(separator: ", ")))")
            }
            let find = try BoundStatement(
                reader.database,
                """
                SELECT \(reading.columns(alias: "o")) FROM \(table.quotedName) o
                WHERE \(conditions.joined(separator: " AND ")) LIMIT 1
                """
            )
            constraints.append(Constraint(propertyIndexes: propertyIndexes, names: names, find: find))
        }
    }

    /// The object or row that already has a unique key of a row.
    enum Collision {
        case none
        case stored(Row, properties: [String])
        /// A row of this batch that is not in the store yet.
        case pending
    }

    /// Finds the collision of a row; `values` are indexed by property index.
    func collision(of values: [PropertyValue]) throws -> Collision {
        for (index, constraint) in constraints.enumerated() {
            let key = constraint.propertyIndexes.map { values[$0] }
            if key.contains(.null) { continue }
            if pending[Key(constraint: index, values: key)] != nil { return .pending }
            for (index, value) in key.enumerated() { constraint.find.bind(Int32(index + 1), value) }
            if let row = try constraint.find.first({ reading.row($0) }), let row {
                return .stored(row, properties: constraint.names)
            }
        }
        return .none
    }

    /// Remembers the unique keys of a row that is not in the store yet.
    func addPending(_ values: [PropertyValue], row: Int) {
        for (index, constraint) in constraints.enumerated() {
            let key = constraint.propertyIndexes.map { values[$0] }
            if !key.contains(.null) { pending[Key(constraint: index, values: key)] = row }
        }
    }

    /// Forgets the rows that were not in the store, once they are.
    func removePending() { pending.removeAll(keepingCapacity: true) }

    /// Two objects with one key, at least one of which the transaction has changed.
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
        let all = Set(related.flatMap { $0.entity.uniquenessConstraints })
        for names in all.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            guard let holder = related.first(where: { $0.entity.uniquenessConstraints.contains(names) }) else {
                continue
            }
            let columns = names.compactMap { name in
                holder.entity.propertyIndex(named: name).flatMap { holder.propertyColumns[$0] }
            }
            let written = Set(propertyIndexes.compactMap { properties.entity.propertyColumns[$0] })
            guard columns.count == names.count, !written.isDisjoint(with: columns) else { continue }
            var conditions = columns.map { column in
                "x.\(table.columns[column].quotedName) = o.\(table.columns[column].quotedName)"
            }
            if table.hasEntityColumn {
                let owners = properties.layout.codes(ofUniqueKey: names, of: holder.entity)
                let list = owners.map(String.init).joined(separator: ", ")
                conditions += ["o._entity IN (\(list))", "x._entity IN (\(list))"]
            }
            let find = try BoundStatement(
                reader.database,
                """
                SELECT \(reading.idColumns(alias: "x")) FROM \(table.quotedName) o CROSS JOIN \(table.quotedName) x
                WHERE o._revision = ?1 AND x._id <> o._id AND \(conditions.joined(separator: " AND ")) LIMIT 1
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
