package import TributaryChanges
package import TributaryModel

extension Reader {
    /// The visible objects at the other end of a relationship of many owners, read with one query.
    ///
    /// - Returns: For each pair the index of the owner in the list and the row at the other end, ordered by owner and
    ///   then by the order of the relationship.
    package func relatedRows(of owners: [UniqueID], entity: Entity, propertyIndex: Int) throws -> [(
        owner: Int, row: Row
    )] {
        guard let (join, reading) = join(of: entity, propertyIndex: propertyIndex) else { return [] }
        // The owners are one parameter, so that the statement does not depend on their number.
        let owner = "substr(?1, p.n * 16 + 1, 16)"
        let sql = """
            WITH RECURSIVE place(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM place WHERE n + 1 < ?2)
            SELECT \(reading.columns(alias: "o")), p.n FROM place p CROSS JOIN \(join.source(target: "o", link: "l"))
            WHERE \(join.condition(owner: owner, ownerColumns: nil, target: "o", link: "l"))
            ORDER BY p.n, \(join.order(target: "o", link: "l"))
            """
        let statement = try BoundStatement(database, sql)
        statement.bind(1, owners.packed)
        statement.bind(2, Int64(owners.count))
        var result: [(owner: Int, row: Row)] = []
        let place = reading.columnCount
        try statement.forEach { row in
            if let related = reading.row(row) { result.append((Int(row.integer(place)), related)) }
        }
        return result
    }
}

extension RowReading {
    /// The number of columns that ``columns(alias:)`` names.
    var columnCount: Int32 { RowReading.fixedColumns + Int32(table.columns.count) }
}
