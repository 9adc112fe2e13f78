import Synchronization
import TributaryChanges
package import TributaryModel

package final class StoreModel: Sendable {
    package let model: Model
    package let storeName: String
    package let tables: [TableLayout]
    package let links: [LinkLayout]
    package let entities: [EntityLayout]
    let incoming: [[ColumnIndex]]
    let linksOf: [[Int]]
    let uniqueConstraints: [[UniqueConstraint]]
    private let entityByName: [String: Int]
    private let entityByCode: [Int64: Int]
    private let tableByRoot: [String: Int]
    private let formerNamesSource: FormerNamesSource
    private var formerNames: FormerNames { formerNamesSource.names }
    /// Without the versions that only this store remembers.
    private let listedNames: FormerNamesSource

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
            for (index, column) in table.columns.enumerated() {
                guard case .reference(let target, _, _) = column.kind else { continue }
                incoming[target].append(ColumnIndex(table: table.index, column: index))
            }
        }
        self.incoming = incoming
        linksOf = tables.map { table in
            links.filter { $0.source == table.index || $0.target == table.index }.map(\.index)
        }
        uniqueConstraints = UniqueConstraint.all(tables, entities)
        entityByName = Dictionary(uniqueKeysWithValues: entities.enumerated().map { ($1.entity.name, $0) })
        entityByCode = Dictionary(uniqueKeysWithValues: entities.enumerated().map { ($1.code, $0) })
        tableByRoot = Dictionary(uniqueKeysWithValues: tables.enumerated().map { ($1.root.name, $0) })
        formerNamesSource = formerNames
        listedNames = FormerNamesSource { FormerNames(of: model, histories: [model.earlier]) }
    }

    package struct ColumnIndex: Sendable, Hashable {
        package var table: Int
        package var column: Int

        package init(table: Int, column: Int) {
            self.table = table
            self.column = column
        }
    }

    func objectID(_ id: UniqueID, of entity: EntityLayout) -> ManagedObjectID {
        ManagedObjectID(
            store: storeName,
            entity: entity.entity.name,
            rootEntity: entity.entity.root,
            uniqueID: id
        )
    }

    package func initial(of columnIndex: Int, in table: TableLayout) -> String {
        let own = table.columns[columnIndex]
        let holders = entities.filter { entity in
            entity.table == table.index && (entity.holds[columnIndex] || !own.isRegister)
        }
        let defaults = holders.map { $0.defaults[columnIndex].json }
        if let first = defaults.first, defaults.allSatisfy({ $0 == first }) { return first.text }
        let members = zip(holders, defaults).map { JSONMember(key: $0.entity.name, value: $1) }
        return JSONValue.object(members.sorted { $0.key < $1.key }).text
    }

    package subscript(index: ColumnIndex) -> ColumnLayout { tables[index.table].columns[index.column] }

    package func tableIndex(code: Int64) -> Int? { entityByCode[code].map { entities[$0].table } }

    package func table(rootEntity: String) -> TableLayout? { tableByRoot[rootEntity].map { tables[$0] } }

    package func entity(named name: String) -> EntityLayout? { entityIndex(named: name).map { entities[$0] } }

    package func entity(code: Int64) -> EntityLayout? { entityByCode[code].map { entities[$0] } }

    package func entityIndex(named name: String) -> Int? {
        entityByName[identical: name] ?? formerNames.entity(name).flatMap { entityByName[$0] }
    }

    package func lastName(ofEntity name: String) -> String { formerNames.lastName(ofEntity: name) }

    func lastRoot(ofEntity name: String) -> String {
        if let root = survivingRoot(ofEntity: name) { return entities[root].entity.root }
        return if case .removed(let root)? = formerNames.root(ofRemoved: name) { root } else { name }
    }

    package func survivingRoot(ofEntity name: String) -> Int? {
        guard entityIndex(named: name) == nil,
            case .surviving(let root)? = formerNames.root(ofRemoved: lastName(ofEntity: name))
        else { return nil }
        return entityByName[root]
    }

    func isFormer(entity name: String) -> Bool {
        entityIndex(named: name) == nil && formerNames.root(ofRemoved: lastName(ofEntity: name)) != nil
    }

    func lastName(ofProperty name: String, of entity: String) -> String {
        formerNames.removedProperty(name, of: entity)?.definition.name ?? name
    }

    func formerProperty(named name: String, of entity: String) -> Property? {
        if let known = self.entity(named: entity)?.entity, propertyIndex(named: name, of: known) != nil { return nil }
        return formerNames.removedProperty(name, of: entity)?.definition
    }

    /// A store kept no positions if the relationship was unordered in its last version.
    func withoutFormerPositions(_ change: Change) -> Change {
        guard case .link(let name, let ids, .some) = change.operation else { return change }
        let entity = self.entity(named: change.entity)?.entity.name ?? lastName(ofEntity: change.entity)
        guard formerNames.removedProperty(name, of: entity)?.isOrdered == false else { return change }
        return Change(entity: change.entity, id: change.id, operation: .link(to: name, ids: ids, positions: nil))
    }

    /// The inverse that the model removed in a later version than the relationship.
    func laterInverse(ofProperty name: String, of entity: String) -> FormerNames.Counterpart? {
        formerNames.removedProperty(name, of: entity)?.laterInverse
    }

    func counterpart(ofProperty name: String, of entity: String) -> (owner: EntityLayout, place: EntityLayout.Place)? {
        guard let other = formerNames.removedProperty(name, of: entity)?.counterpart,
            let known = self.entity(named: other.entity),
            let propertyIndex = known.entity.propertyIndex(named: other.property)
        else { return nil }
        return (known, known.places[propertyIndex])
    }

    package func propertyIndex(named name: String, of entity: Entity) -> Int? {
        entity.propertyIndex(named: name)
            ?? formerNames.property(name, of: entity.name).flatMap { entity.propertyIndex(named: $0) }
    }

    func column(of property: String, in entity: EntityLayout) -> ColumnIndex? {
        guard let index = propertyIndex(named: property, of: entity.entity),
            case .column(let column) = entity.places[index]
        else { return nil }
        return ColumnIndex(table: entity.table, column: column)
    }

    func attribute(
        _ name: String,
        of entity: String
    ) -> (index: ColumnIndex, type: AttributeType, rule: MergeRule)? {
        guard let index = self.entity(named: entity).flatMap({ column(of: name, in: $0) }),
            case .attribute(let type, let rule) = self[index].kind
        else { return nil }
        return (index, type, rule)
    }

    /// Looks in the model and the versions in its file, so that all stores with the model agree.
    func isListed(entity name: String) -> Bool {
        let names = listedNames.names
        return model.entity(named: names.entity(name) ?? name) != nil
            || names.root(ofRemoved: names.lastName(ofEntity: name)) != nil
    }

    func isListed(_ property: String, of entity: String) -> Bool {
        let names = listedNames.names
        if let known = model.entity(named: names.entity(entity) ?? entity),
            known.propertyIndex(named: property) != nil || names.property(property, of: known.name) != nil
        {
            return true
        }
        return names.removedProperty(property, of: names.entity(entity) ?? names.lastName(ofEntity: entity)) != nil
    }

    package func entityIndex(code: Int64) -> Int? { entityByCode[code] }

    package func codes(of entity: Entity, includesSubentities: Bool) -> [Int64] {
        let names = [entity.name] + (includesSubentities ? entity.subentities : [])
        return names.compactMap { self.entity(named: $0)?.code }
    }

    package func codes(ofUniqueKey names: [String], of entity: Entity) -> [Int64] {
        let lineage = ([entity.name] + entity.ancestors).compactMap { self.entity(named: $0)?.entity }
        let owner = lineage.filter { $0.uniquenessConstraints.contains(names) }.min {
            $0.ancestors.count < $1.ancestors.count
        }
        return codes(of: owner ?? entity, includesSubentities: true)
    }
}

/// The former names of a model, computed on the first lookup of a name that the model lacks: mostly never.
package final class FormerNamesSource: Sendable {
    private let state: Mutex<State>

    private enum State {
        case unread(@Sendable () -> FormerNames)
        case known(FormerNames)
    }

    package init(_ read: @escaping @Sendable () -> FormerNames) {
        state = Mutex(.unread(read))
    }

    var names: FormerNames {
        state.withLock { state in
            switch state {
            case .known(let names): return names
            case .unread(let read):
                let names = read()
                state = .known(names)
                return names
            }
        }
    }
}
