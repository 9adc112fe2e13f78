import TributaryChanges
import TributaryModel

/// A model with the places in one store where its objects lie.
///
/// Made by ``Schema`` when a store is opened.
final class StoreModel: Sendable {
    let model: Model
    /// The store's configured name, the store part of object IDs.
    let storeName: String
    let tables: [TableLayout]
    let links: [LinkLayout]
    let entities: [EntityLayout]
    /// By table: the to-one registers, anywhere, that hold its objects.
    let incoming: [[ColumnIndex]]
    /// By table: the link tables of which its objects are an end.
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

    /// What the catalogue tells of the defaults of a column: one for all entities that have it, or that of each.
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

    /// The entity of the given name, or the one that had it in an older version of the model.
    func entityIndex(named name: String) -> Int? {
        entityByName[identical: name] ?? formerNames.entity(name).flatMap { entityByName[$0] }
    }

    /// The last name of an entity that the model does not have any more; deferred writes are reported under it.
    func lastName(ofEntity name: String) -> String { formerNames.lastName(ofEntity: name) }

    /// The root of the hierarchy that an entity which is gone was in: the one that the model has, or the last one.
    func lastRoot(ofEntity name: String) -> String {
        survivingRoot(ofEntity: name).map { entities[$0].entity.root } ?? formerNames.lastRoot(ofEntity: name)
    }

    /// The entity that was the root of one which is gone, and whose table has what is known of its objects.
    func survivingRoot(ofEntity name: String) -> Int? {
        guard entityIndex(named: name) == nil else { return nil }
        return formerNames.survivingRoot(ofEntity: lastName(ofEntity: name)).flatMap { entityByName[$0] }
    }

    func lastName(ofProperty name: String, of entity: String) -> String {
        formerNames.lastName(ofProperty: name, of: entity)
    }

    /// What a property was that the entity had once and does not have any more; nil when it has one of the name.
    func formerProperty(named name: String, of entity: String) -> Property? {
        if let known = self.entity(named: entity)?.entity, slot(named: name, of: known) != nil { return nil }
        return formerNames.lastDefinition(ofProperty: name, of: entity)
    }

    /// The entity and the place of the other side of a relationship that the entity had once and does not have any more.
    func counterpart(ofProperty name: String, of entity: String) -> (owner: EntityLayout, place: EntityLayout.Place)? {
        guard let other = formerNames.counterpart(ofProperty: name, of: entity),
            let known = self.entity(named: other.entity), let slot = known.entity.slot(named: other.property)
        else { return nil }
        return (known, known.places[slot])
    }

    /// The other side of such a relationship where that is gone as well, but was there for longer.
    func laterSide(ofProperty name: String, of entity: String) -> FormerNames.Counterpart? {
        formerNames.laterSide(ofProperty: name, of: entity)
    }

    /// The slot of the property of the given name, or of the one that had it in an older version of the model.
    func slot(named name: String, of entity: Entity) -> Int? {
        entity.slot(named: name) ?? formerNames.property(name, of: entity.name).flatMap { entity.slot(named: $0) }
    }

    func entityIndex(code: Int64) -> Int? { entityByCode[code] }

    /// Codes of the entity and, when `includesSubentities`, of all below it.
    func codes(of entity: Entity, includesSubentities: Bool) -> [Int64] {
        let names = [entity.name] + (includesSubentities ? entity.subentities : [])
        return names.compactMap { self.entity(named: $0)?.code }
    }
}
