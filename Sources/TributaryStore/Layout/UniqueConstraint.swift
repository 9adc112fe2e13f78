import TributaryChanges
import TributaryModel

/// A uniqueness constraint of an entity and its sub-entities, applied to live objects (merge statement 15).
struct UniqueConstraint: Sendable {
    let index: Int
    let owner: String
    let names: [String]
    let columns: [Int]
    let entities: Set<Int>
    let codes: [Int64]

    /// Omits constraints with a one-to-one relationship, because only one object shows a target.
    static func all(_ tables: [TableLayout], _ entities: [EntityLayout]) -> [[UniqueConstraint]] {
        var result: [[UniqueConstraint]] = Array(repeating: [], count: tables.count)
        let byName = Dictionary(entities.map { ($0.entity.name, $0) }) { first, _ in first }
        for entity in entities.sorted(by: { $0.entity.name < $1.entity.name }) {
            let inherited = entity.entity.parent.flatMap { byName[$0]?.entity.uniquenessConstraints } ?? []
            let family = Set([entity.entity.name] + entity.entity.subentities)
            let members = entities.indices.filter { family.contains(entities[$0].entity.name) }
            for names in entity.entity.uniquenessConstraints.sorted(by: { $0.lexicographicallyPrecedes($1) })
            where !inherited.contains(names) {
                guard let columns = columns(names, of: entity, in: tables[entity.table]) else { continue }
                result[entity.table].append(
                    UniqueConstraint(
                        index: result[entity.table].count,
                        owner: entity.entity.name,
                        names: names,
                        columns: columns,
                        entities: Set(members),
                        codes: members.map { entities[$0].code }
                    )
                )
            }
        }
        return result
    }

    /// Nil for counters and external values, too: models refuse them, but stores of earlier releases may have them.
    private static func columns(_ names: [String], of entity: EntityLayout, in table: TableLayout) -> [Int]? {
        let columns = names.compactMap { name -> Int? in
            guard let index = entity.entity.propertyIndex(named: name), case .column(let column) = entity.places[index],
                !table.columns[column].isExternal
            else { return nil }
            switch table.columns[column].kind {
            case .attribute(_, let rule): return rule == .counter ? nil : column
            case .reference(_, let isOneToOne, _): return isOneToOne ? nil : column
            case .inverseColumn: return nil
            }
        }
        return columns.count == names.count && !columns.isEmpty ? columns : nil
    }
}
