package import TributaryChanges
package import TributaryModel

extension Reader {
    /// The visible objects that have `id` at the other end of a to-many relationship without an inverse.
    package func owners(of id: UniqueID, entity: Entity, slot: Int) throws -> [ManagedObjectID] {
        guard let layout = context.layout.entity(named: entity.name), layout.places.indices.contains(slot),
            case .links(let index, ownsPairs: true) = layout.places[slot],
            let reading = reading(rootEntity: entity.root)
        else { return [] }
        let sql = """
            SELECT \(reading.idColumns(alias: "o")) FROM \(context.layout.links[index].quotedName) l
            CROSS JOIN \(reading.table.quotedName) o ON o._id = l._source WHERE l._target = ?1 ORDER BY o._id
            """
        let statement = try BoundStatement(database, sql)
        statement.bind(1, id)
        var result: [ManagedObjectID] = []
        try statement.forEach { row in
            if let id = reading.objectID(row) { result.append(id) }
        }
        return result
    }
}
