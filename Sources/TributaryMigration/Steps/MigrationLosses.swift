import GRDB
import TributaryInference
import TributaryModel
import TributaryStore

/// Counts the values and objects that a migration drops because the newer model lacks their property or entity.
struct MigrationLosses {
    let db: Database
    let inference: MigrationInference
    let layout: StoreModel

    func counted() throws -> [MigrationLoss] {
        var losses: [MigrationLoss] = []
        for change in inference.changes {
            let count: Int
            let entity: EntityLayout?
            switch change.kind {
            case .removeEntity:
                entity = layout.entity(named: change.entity)
                count = try entity.map(objects) ?? 0
            case .removeProperty:
                entity = inference.mapping.entities[change.entity].flatMap { layout.entity(named: $0) }
                count = try entity.map { try values(of: change.property ?? "", in: $0) } ?? 0
            default: continue
            }
            guard let entity, count > 0 else { continue }
            losses.append(MigrationLoss(entity: entity.entity.name, property: change.property, count: count))
        }
        return losses
    }

    private func objects(of entity: EntityLayout) throws -> Int {
        let condition = condition(entity, includesSubentities: false)
        return try Int.fetchOne(db, sql: "SELECT count(*) FROM \(table(entity).quotedName) WHERE \(condition)") ?? 0
    }

    private func values(of property: String, in entity: EntityLayout) throws -> Int {
        guard let propertyIndex = entity.entity.propertyIndex(named: property) else { return 0 }
        switch entity.places[propertyIndex] {
        case .column(let column):
            let table = table(entity)
            return try Int.fetchOne(
                db,
                sql: """
                    SELECT count(\(table.columns[column].quotedName)) FROM \(table.quotedName)
                    WHERE \(condition(entity, includesSubentities: true))
                    """
            ) ?? 0
        case .links(let index, ownsPairs: true):
            return try Int.fetchOne(db, sql: "SELECT count(*) FROM \(layout.links[index].quotedName)") ?? 0
        // The other side of the relationship stores these values.
        case .links, .inverseColumn, .inverse, .none: return 0
        }
    }

    private func table(_ entity: EntityLayout) -> TableLayout { layout.tables[entity.table] }

    private func condition(_ entity: EntityLayout, includesSubentities: Bool) -> String {
        guard table(entity).hasEntityColumn else { return "1" }
        let codes = layout.codes(of: entity.entity, includesSubentities: includesSubentities)
        return "_entity IN (\(codes.map(String.init).joined(separator: ", ")))"
    }
}
