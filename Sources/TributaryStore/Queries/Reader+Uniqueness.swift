package import TributaryChanges
package import TributaryModel

extension Reader {
    /// Null is not equal to null, so no object has a key with a null.
    package func holders(of key: [(propertyIndex: Int, value: PropertyValue)], entity: Entity) throws -> [Row] {
        guard let layout = context.layout.entity(named: entity.name), let reading = reading(rootEntity: entity.root)
        else { return [] }
        var conditions: [String] = []
        for (index, part) in key.enumerated() {
            guard layout.places.indices.contains(part.propertyIndex),
                let column = layout.propertyColumns[part.propertyIndex]
            else {
                return []
            }
            conditions.append("o.\(reading.table.columns[column].quotedName) = ?\(index + 1)")
        }
        if reading.table.hasEntityColumn {
            let codes = context.layout.codes(of: entity, includesSubentities: true).map(String.init)
            conditions.append("o._entity IN (\(codes.joined(separator: ", ")))")
        }
        let sql: CachedSQL = """
            SELECT \(reading.columns(alias: "o")) FROM \(reading.table.quotedName) o
            WHERE \(conditions.joined(separator: " AND ")) ORDER BY o._id
            """
        let statement = try BoundStatement(database, sql)
        for (index, part) in key.enumerated() { statement.bind(Int32(index + 1), part.value) }
        return try statement.all { reading.row($0) }
    }

    /// The default plus the totals, which survive a deletion of the object (merge statement 9).
    package func counterValue(_ id: UniqueID, entity: Entity, propertyIndex: Int) throws -> PropertyValue {
        guard let layout = context.layout.entity(named: entity.name),
            let column = layout.propertyColumns[propertyIndex]
        else { return .null }
        return try CounterTable(database, layout: context.layout).value(
            of: id,
            .init(table: layout.table, column: column),
            above: layout.defaults[column]
        )
    }

    /// Includes an object hidden by an older object with the same unique key; its counter sums are not read.
    package func liveRow(_ id: UniqueID, rootEntity: String) throws -> Row? {
        if let row = try row(id, rootEntity: rootEntity) { return row }
        guard let table = context.layout.table(rootEntity: rootEntity),
            let partial = try PartialRowTable(database, layout: context.layout).row(table.index, id),
            let shadow = partial.shadow, let entity = context.layout.entity(code: shadow.entity)
        else { return nil }
        let values = entity.propertyColumns.map { column -> PropertyValue in
            guard let column else { return .null }
            return partial.registers[column]?.value ?? entity.defaults[column]
        }
        return Row(
            uniqueID: id,
            store: context.name,
            entity: entity.entity,
            revision: shadow.inserted,
            values: values
        )
    }
}
