package import TributaryChanges
package import TributaryModel

package struct CounterBeyondType: Sendable, Equatable {
    package var entity: String
    package var id: UniqueID
    package var property: String
    package var value: Int64
    package var type: AttributeType
}

extension ColumnLayout {
    var beyondType: (type: AttributeType, condition: String)? {
        guard case .attribute(let type, .counter) = kind, type != .integer64, let range = type.integerRange else {
            return nil
        }
        return (type, "\(quotedName) NOT BETWEEN \(range.lowerBound) AND \(range.upperBound)")
    }
}

extension Reader {
    /// Only these rows are indexed, so the cost depends on `limit` and on the number of counters in the model.
    package func countersBeyondTypes(limit: Int) throws -> [CounterBeyondType] {
        var found: [CounterBeyondType] = []
        for table in context.layout.tables {
            for column in table.columns where found.count < limit {
                guard let beyond = column.beyondType else { continue }
                let select = try BoundStatement(
                    database,
                    """
                    SELECT _id, \(column.quotedName), \(table.hasEntityColumn ? "_entity" : "NULL")
                    FROM \(table.quotedName) WHERE \(beyond.condition) LIMIT \(value: Int64(limit - found.count))
                    """
                )
                found += try select.all { row in
                    guard let id = row.id(0) else { return nil }
                    let code = row.optionalInteger(2)
                    return CounterBeyondType(
                        entity: code.flatMap { context.layout.entity(code: $0) }?.entity.name ?? table.root.name,
                        id: id,
                        property: column.property,
                        value: row.integer(1),
                        type: beyond.type
                    )
                }
            }
        }
        return found
    }
}
