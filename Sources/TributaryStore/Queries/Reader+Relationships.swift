package import TributaryChanges
package import TributaryModel

extension Reader {
    /// The visible objects that have `id` at the other end of a to-many relationship without an inverse.
    package func owners(of id: UniqueID, entity: Entity, propertyIndex: Int) throws -> [ManagedObjectID] {
        guard let layout = context.layout.entity(named: entity.name), layout.places.indices.contains(propertyIndex),
            case .links(let index, ownsPairs: true) = layout.places[propertyIndex],
            let reading = reading(rootEntity: entity.root)
        else { return [] }
        let sql = """
            SELECT \(reading.idColumns(alias: "o")) FROM \(context.layout.links[index].quotedName) l
            CROSS JOIN \(reading.table.quotedName) o ON o._id = l._source WHERE l._target = ?1 ORDER BY o._id
            """
        let statement = try BoundStatement(database, sql)
        statement.bind(1, id)
        return try reading.ids(statement)
    }

    /// The visible objects whose to-one register names an object that is not visible, at its to-many relationship.
    package func waiting(for id: UniqueID, entity: Entity, propertyIndex: Int) throws -> [UniqueID] {
        guard let layout = context.layout.entity(named: entity.name), layout.places.indices.contains(propertyIndex),
            case .inverse(let table, let column, _) = layout.places[propertyIndex]
        else { return [] }
        let references = try UnresolvedReferenceTable(database, layout: context.layout)
        return try references.sources(of: id, StoreModel.ColumnIndex(table: table, column: column))
    }

    /// The objects of an ordered to-many relationship with their positions.
    ///
    /// They are ordered by the bytes of the position, then by ID.
    package func positions(
        of id: UniqueID,
        entity: Entity,
        propertyIndex: Int
    ) throws -> [(id: ManagedObjectID, position: String)] {
        guard let (join, reading) = join(of: entity, propertyIndex: propertyIndex) else { return [] }
        let sql = """
            SELECT \(reading.idColumns(alias: "o")), \(join.position(target: "o", link: "l"))
            FROM \(join.source(target: "o", link: "l"))
            WHERE \(join.condition(owner: "?1", ownerColumns: nil, target: "o", link: "l"))
            ORDER BY \(join.order(target: "o", link: "l"))
            """
        let statement = try BoundStatement(database, sql)
        statement.bind(1, id)
        var result: [(id: ManagedObjectID, position: String)] = []
        try statement.forEach { row in
            if let id = reading.objectID(row) { result.append((id, row.optionalText(2) ?? "")) }
        }
        return result
    }
}
