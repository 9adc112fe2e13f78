import TributaryChanges
import TributaryModel

/// A model with the tables and columns of its objects in one store.
///
/// ``Schema`` creates it when a store is opened.
final class StoreModel: Sendable {
    let model: Model
    /// The store's configured name, which object IDs contain.
    let storeName: String
    let tables: [TableLayout]
    let links: [LinkLayout]
    let entities: [EntityLayout]
    /// For each table, all to-one registers that hold its objects.
    let incoming: [[ColumnIndex]]
    /// For each table, the link tables that have its objects at an end.
    let linksOf: [[Int]]
    private let entityByName: [String: Int]
    private let entityByCode: [Int64: Int]
    private let tableByRoot: [String: Int]
    private let formerNamesSource: FormerNamesSource
    private var formerNames: FormerNames { formerNamesSource.names }

    init(
        model: Model,
        storeName: String,
        tables: [TableLayout],
        links: [LinkLayout],
        entities: [EntityLayout],
        formerNames: FormerNamesSource
    ) {
        self.model = model
        self.storeName = storeName
        self.tables = tables
        self.links = links
        self.entities = entities
        var incoming = [[ColumnIndex]](repeating: [], count: tables.count)
        for table in tables {
            for (place, column) in table.columns.enumerated() {
                guard case .reference(let target, _, _) = column.kind else { continue }
                incoming[target].append(ColumnIndex(table: table.index, column: place))
            }
        }
        self.incoming = incoming
        linksOf = tables.map { table in
            links.filter { $0.source == table.index || $0.target == table.index }.map(\.index)
        }
        entityByName = Dictionary(uniqueKeysWithValues: entities.enumerated().map { ($1.entity.name, $0) })
        entityByCode = Dictionary(uniqueKeysWithValues: entities.enumerated().map { ($1.code, $0) })
        tableByRoot = Dictionary(uniqueKeysWithValues: tables.enumerated().map { ($1.root.name, $0) })
        formerNamesSource = formerNames
    }

    /// A column of a table.
    struct ColumnIndex: Sendable, Hashable {
        var table: Int
        var column: Int
    }

    /// The catalogue's text for the defaults of a column: one default for all entities that share it, or one for each.
    func initial(of place: Int, in table: TableLayout) -> String {
        let own = table.columns[place]
        let holders = entities.filter { entity in
            entity.table == table.index && (entity.holds[place] || !own.isRegister)
        }
        let defaults = holders.map { $0.defaults[place].json }
        if let first = defaults.first, defaults.allSatisfy({ $0 == first }) { return first.text }
        let members = zip(holders, defaults).map { JSONMember(key: $0.entity.name, value: $1) }
        return JSONValue.object(members.sorted { $0.key < $1.key }).text
    }

    subscript(index: ColumnIndex) -> ColumnLayout { tables[index.table].columns[index.column] }

    func tableIndex(code: Int64) -> Int? { entityByCode[code].map { entities[$0].table } }

    func table(rootEntity: String) -> TableLayout? { tableByRoot[rootEntity].map { tables[$0] } }

    func entity(named name: String) -> EntityLayout? { entityIndex(named: name).map { entities[$0] } }

    func entity(code: Int64) -> EntityLayout? { entityByCode[code].map { entities[$0] } }

    /// The entity of the given name, or the entity that had it in an older version of the model.
    func entityIndex(named name: String) -> Int? {
        entityByName[identical: name] ?? formerNames.entity(name).flatMap { entityByName[$0] }
    }

    /// The last name of a removed entity; deferred writes are reported under it.
    func lastName(ofEntity name: String) -> String { formerNames.lastName(ofEntity: name) }

    /// The root of a removed entity's hierarchy: its present name, or its last name.
    func lastRoot(ofEntity name: String) -> String {
        survivingRoot(ofEntity: name).map { entities[$0].entity.root } ?? formerNames.lastRoot(ofEntity: name)
    }

    /// The surviving root of a removed entity, whose table has the known state of its objects.
    func survivingRoot(ofEntity name: String) -> Int? {
        guard entityIndex(named: name) == nil else { return nil }
        return formerNames.survivingRoot(ofEntity: lastName(ofEntity: name)).flatMap { entityByName[$0] }
    }

    func lastName(ofProperty name: String, of entity: String) -> String {
        formerNames.lastName(ofProperty: name, of: entity)
    }

    /// The former property of an entity under the given name; nil when the entity has a property of that name.
    func formerProperty(named name: String, of entity: String) -> Property? {
        if let known = self.entity(named: entity)?.entity, propertyIndex(named: name, of: known) != nil { return nil }
        return formerNames.lastDefinition(ofProperty: name, of: entity)
    }

    /// The entity and the storage of the other side of a former relationship.
    func counterpart(ofProperty name: String, of entity: String) -> (owner: EntityLayout, place: EntityLayout.Place)? {
        guard let other = formerNames.counterpart(ofProperty: name, of: entity),
            let known = self.entity(named: other.entity),
            let propertyIndex = known.entity.propertyIndex(named: other.property)
        else { return nil }
        return (known, known.places[propertyIndex])
    }

    /// The other side of a former relationship that was removed as well, but later.
    func laterSide(ofProperty name: String, of entity: String) -> FormerNames.Counterpart? {
        formerNames.laterSide(ofProperty: name, of: entity)
    }

    /// The property index of the property of the given name, or of the property that had it in an older version of the
    /// model.
    func propertyIndex(named name: String, of entity: Entity) -> Int? {
        entity.propertyIndex(named: name)
            ?? formerNames.property(name, of: entity.name).flatMap { entity.propertyIndex(named: $0) }
    }

    func entityIndex(code: Int64) -> Int? { entityByCode[code] }

    /// The codes of the entity and, with `includesSubentities`, of all its sub-entities.
    func codes(of entity: Entity, includesSubentities: Bool) -> [Int64] {
        let names = [entity.name] + (includesSubentities ? entity.subentities : [])
        return names.compactMap { self.entity(named: $0)?.code }
    }
}
