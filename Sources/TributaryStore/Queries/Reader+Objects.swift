package import TributaryChanges
package import TributaryModel

extension Reader {
    /// The visible object in the table of `rootEntity`; nil when there is none.
    package func row(_ id: UniqueID, rootEntity: String) throws -> Row? {
        guard let reading = reading(rootEntity: rootEntity) else { return nil }
        let statement = try BoundStatement(database, reading.table.rowByID)
        defer { statement.reset() }
        statement.bind(1, id)
        return try statement.step() ? reading.row(statement) : nil
    }

    /// The visible objects at the other end of a relationship.
    ///
    /// The objects of a to-many relationship come in its order when it is ordered, otherwise by ID. A to-one register
    /// and the inverse side of a one-to-one relationship have at most one object.
    ///
    /// - Parameters:
    ///   - id: The object whose relationship it is.
    ///   - entity: The entity that has the relationship.
    ///   - propertyIndex: The index of the relationship.
    ///   - limit: The most IDs to return; nil for all.
    ///   - offset: The number of IDs to leave out before.
    /// - Returns: Their IDs.
    /// - Throws: ``StoreError`` when the store cannot be read.
    package func related(
        to id: UniqueID,
        entity: Entity,
        propertyIndex: Int,
        limit: Int? = nil,
        offset: Int = 0
    ) throws -> [ManagedObjectID] {
        guard let (join, reading) = join(of: entity, propertyIndex: propertyIndex) else { return [] }
        let sql = """
            SELECT \(reading.idColumns(alias: "o")) FROM \(join.source(target: "o", link: "l"))
            WHERE \(join.condition(owner: "?1", ownerColumns: nil, target: "o", link: "l"))
            ORDER BY \(join.order(target: "o", link: "l")) LIMIT ?2 OFFSET ?3
            """
        let statement = try BoundStatement(database, sql)
        statement.bind(1, id)
        statement.bind(2, Int64(limit ?? -1))
        statement.bind(3, Int64(offset))
        return try reading.ids(statement)
    }

    /// The join of a stored relationship with the objects at its other end; nil when there is none.
    func join(of entity: Entity, propertyIndex: Int) -> (RelationshipJoin, RowReading)? {
        guard let layout = context.layout.entity(named: entity.name), layout.places.indices.contains(propertyIndex),
            case .relationship(let relationship, _) = layout.entity.properties[propertyIndex],
            let join = RelationshipJoin(relationship, in: layout, layout: context.layout),
            let reading = reading(rootEntity: join.target.root.name)
        else { return nil }
        return (join, reading)
    }

    func reading(rootEntity: String) -> RowReading? {
        context.layout.table(rootEntity: rootEntity).map { RowReading(table: $0, context: context) }
    }
}
