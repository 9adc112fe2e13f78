import GRDB
import TributaryInference
import TributaryModel
import TributaryStore

/// Counts the values and objects that a migration drops because the newer model lacks their property or entity, and the
/// values that it rounds.
struct MigrationLosses {
    let db: Database
    let inference: MigrationInference
    let layout: StoreModel

    func counted() throws -> [MigrationLoss] {
        var losses: [MigrationLoss] = []
        for change in inference.changes {
            let count: Int
            let entity: EntityLayout?
            var property = change.property
            let reason: String
            switch change.kind {
            case .removeEntity:
                entity = layout.entity(named: change.entity)
                count = try entity.map(objects) ?? 0
                reason = "the entity is removed"
            case .removeProperty:
                entity = inference.mapping.entities[change.entity].flatMap { layout.entity(named: $0) }
                count = try entity.map { try values(of: change.property ?? "", in: $0) } ?? 0
                let kept = change.property.flatMap { inference.new.entity(named: change.entity)?.property(named: $0) }
                reason = kept == nil ? "the property is removed" : "the property is not stored any more"
            case .changeType:
                entity = inference.mapping.entities[change.entity].flatMap { layout.entity(named: $0) }
                property = property.flatMap { inference.mapping.property($0, of: change.entity) }
                count = try entity.map { try roundedValues(of: property ?? "", in: $0, change) } ?? 0
                reason = "\(change.from ?? "its type") becomes \(change.to ?? "another one")"
            default: continue
            }
            guard let entity, count > 0 else { continue }
            let (name, isRounding) = (entity.entity.name, change.kind == .changeType)
            losses.append(
                MigrationLoss(entity: name, property: property, count: count, isRounding: isRounding, reason: reason)
            )
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

    /// Counts the integers that are not equal to any floating-point number.
    private func roundedValues(of property: String, in entity: EntityLayout, _ change: MigrationChange) throws -> Int {
        let new = change.property.flatMap { inference.new.entity(named: change.entity)?.property(named: $0)?.attribute }
        guard let propertyIndex = entity.entity.propertyIndex(named: property), let new,
            entity.entity.properties[propertyIndex].attribute?.type.isRounded(as: new.type) == true,
            case .column(let columnIndex) = entity.places[propertyIndex]
        else { return 0 }
        let column = table(entity).columns[columnIndex].quotedName
        // The greatest integers become 2^63, which SQLite would turn back into the greatest integer.
        return try Int.fetchOne(
            db,
            sql: """
                SELECT count(*) FROM \(table(entity).quotedName)
                WHERE \(condition(entity, includesSubentities: true))
                    AND (CAST(CAST(\(column) AS REAL) AS INTEGER) <> \(column) OR \(column) > 9223372036854774784)
                """
        ) ?? 0
    }

    private func table(_ entity: EntityLayout) -> TableLayout { layout.tables[entity.table] }

    private func condition(_ entity: EntityLayout, includesSubentities: Bool) -> String {
        guard table(entity).hasEntityColumn else { return "1" }
        let codes = layout.codes(of: entity.entity, includesSubentities: includesSubentities)
        return "_entity IN (\(codes.map(String.init).joined(separator: ", ")))"
    }
}
