import TributaryChanges
package import TributaryModel

package struct LayoutBuilder {
    private let model: Model
    private let catalogue: Catalogue
    private let roots: [Entity]
    private let tableIndexes: [String: Int]
    /// In lower case, because SQLite does not distinguish case.
    private var taken: Set<String> = []
    private var columns: [[ColumnLayout]] = []
    private var columnIndexes: [String: [String: Int]] = [:]

    package init(model: Model, catalogue: Catalogue) {
        self.model = model
        self.catalogue = catalogue
        roots = model.rootEntities
        tableIndexes = Dictionary(uniqueKeysWithValues: roots.enumerated().map { ($1.name, $0) })
    }

    package mutating func build(storeName: String, formerNames: FormerNamesSource? = nil) -> StoreModel {
        let tableNames = roots.map { LayoutBuilder.free($0.name, taken: &taken) }
        for entity in model.entities where entity.parent != nil { taken.insert(entity.name.lowercased()) }
        for root in roots { columns.append(layOutColumns(of: root)) }
        connectInverseColumns()
        var nextEntity = catalogue.nextCode(.entity)
        let codes = model.entities.map { catalogue.code(.entity, $0.name, from: &nextEntity) }
        let links = layOutLinks()
        let entities = zip(model.entities, codes).map { entity, code in
            let table = tableIndexes[entity.root] ?? 0
            let own = Set((columnIndexes[entity.name] ?? [:]).values)
            return EntityLayout(
                entity: entity,
                code: code,
                table: table,
                places: entity.properties.map { place(of: $0, in: entity, links: links) },
                holds: columns[table].indices.map { own.contains($0) && columns[table][$0].isRegister },
                defaults: defaults(of: entity, count: columns[table].count)
            )
        }
        let tables = roots.enumerated().map { index, root in
            TableLayout(
                index: index,
                root: root,
                code: entities.first { $0.entity.name == root.name }?.code ?? 0,
                name: tableNames[index],
                columns: columns[index],
                hasEntityColumn: !root.subentities.isEmpty,
                entities: [root.name] + root.subentities
            )
        }
        return StoreModel(
            model: model,
            storeName: storeName,
            tables: tables,
            links: links,
            entities: entities,
            formerNames: formerNames ?? FormerNamesSource { [model] in FormerNames(of: model) }
        )
    }

    private func hierarchy(of root: Entity) -> [Entity] {
        root.subentities.compactMap { model.entity(named: $0) }
            .sorted { ($0.ancestors.count, $0.name) < ($1.ancestors.count, $1.name) }
            .reduce(into: [root]) { $0.append($1) }
    }

    private mutating func layOutColumns(of root: Entity) -> [ColumnLayout] {
        var found: [ColumnLayout] = []
        var byName: [String: Int] = [:]
        // Properties share a column only if their one-to-one inverses are equal, too.
        var inverses: [Int: String] = [:]
        for entity in hierarchy(of: root) {
            let inherited = entity.parent.flatMap { model.entity(named: $0) }
            columnIndexes[entity.name] = inherited.flatMap { columnIndexes[$0.name] } ?? [:]
            for property in entity.properties.dropFirst(inherited?.properties.count ?? 0) {
                guard let (kind, definition) = describe(property, in: entity) else { continue }
                var name = property.name
                let inverse = oneToOneInverse(of: property)
                if let columnIndex = byName[name.lowercased()] {
                    if found[columnIndex].property == property.name, found[columnIndex].definition == definition,
                        inverses[columnIndex] == inverse
                    {
                        found[columnIndex].isExternal = found[columnIndex].isExternal && isExternal(property)
                        columnIndexes[entity.name]?[property.name] = columnIndex
                        continue
                    }
                    name = "\(entity.name)_\(property.name)"
                    var number = 2
                    while byName[name.lowercased()] != nil {
                        name = "\(entity.name)_\(property.name)_\(number)"
                        number += 1
                    }
                }
                byName[name.lowercased()] = found.count
                inverses[found.count] = inverse
                columnIndexes[entity.name]?[property.name] = found.count
                found.append(
                    ColumnLayout(
                        property: property.name,
                        name: name,
                        kind: kind,
                        definition: definition,
                        isExternal: isExternal(property)
                    )
                )
            }
        }
        return keepIndexes(found, root: root)
    }

    private mutating func keepIndexes(_ found: [ColumnLayout], root: Entity) -> [ColumnLayout] {
        let known = catalogue.columns(of: root.name).map(\.name)
        let order = Dictionary(uniqueKeysWithValues: known.enumerated().map { ($1, $0) })
        let indexes = found.indices.sorted {
            (order[found[$0].name] ?? known.count + $0) < (order[found[$1].name] ?? known.count + $1)
        }
        var newIndexes = [Int](repeating: 0, count: found.count)
        for (newIndex, index) in indexes.enumerated() { newIndexes[index] = newIndex }
        for entity in hierarchy(of: root) {
            columnIndexes[entity.name] = columnIndexes[entity.name]?.mapValues { newIndexes[$0] }
        }
        return indexes.map { found[$0] }
    }

    private func describe(_ property: Property, in entity: Entity) -> (ColumnLayout.Kind, String)? {
        switch property {
        case .attribute(let attribute):
            guard attribute.isStored else { return nil }
            return (
                .attribute(attribute.type, attribute.effectiveRule),
                "\(attribute.type.rawValue), \(attribute.effectiveRule.rawValue)"
            )
        case .relationship(let relationship, let storage):
            guard !relationship.isToMany, let destination = model.entity(named: relationship.destination),
                let target = tableIndexes[destination.root]
            else { return nil }
            switch storage {
            case .column:
                let isOneToOne = isOneToOne(relationship) && !isOwnInverse(relationship, in: entity)
                return (
                    .reference(target: target, isOneToOne: isOneToOne, inverse: nil),
                    "to-one \(destination.root)\(isOneToOne ? ", one-to-one" : "")"
                )
            case .inverse(let owner, let name):
                guard let root = model.entity(named: owner)?.root, let source = tableIndexes[root] else { return nil }
                return (.inverseColumn(source: source, column: -1), "shows \(owner).\(name)")
            case .links: return nil
            }
        }
    }

    /// Values that are compared by their bytes, or copied into history, stay in the row.
    private func isExternal(_ property: Property) -> Bool {
        guard let attribute = property.attribute, attribute.allowsExternalBinaryStorage else { return false }
        return (attribute.type == .binary || attribute.type == .transformable) && attribute.mergeRule.comparesVersions
            && !attribute.preservesValueAfterDeletion
    }

    private func oneToOneInverse(of property: Property) -> String? {
        guard let relationship = property.relationship, isOneToOne(relationship) else { return nil }
        return relationship.inverse.map { "\(relationship.destination).\($0)" }
    }

    private func isOneToOne(_ relationship: Relationship) -> Bool {
        guard let inverse = relationship.inverse,
            let other = model.entity(named: relationship.destination)?.property(named: inverse)?.relationship
        else { return false }
        return !relationship.isToMany && !other.isToMany
    }

    private func isOwnInverse(_ relationship: Relationship, in entity: Entity) -> Bool {
        relationship.inverse == relationship.name
            && model.entity(named: relationship.destination)?.root == entity.root
    }

    private mutating func connectInverseColumns() {
        for entity in model.entities {
            guard let table = tableIndexes[entity.root] else { continue }
            for property in entity.properties {
                guard case .relationship(let relationship, .inverse(let owner, let name)) = property,
                    !relationship.isToMany, let columnIndex = columnIndexes[entity.name]?[property.name],
                    let source = model.entity(named: owner).flatMap({ tableIndexes[$0.root] }),
                    let column = columnIndexes[owner]?[name],
                    case .reference(let target, let isOneToOne, _) = columns[source][column].kind
                else { continue }
                columns[table][columnIndex] = columns[table][columnIndex].with(
                    .inverseColumn(source: source, column: column)
                )
                columns[source][column] = columns[source][column].with(
                    .reference(target: target, isOneToOne: isOneToOne, inverse: columnIndex)
                )
            }
        }
    }

    private mutating func layOutLinks() -> [LinkLayout] {
        var links: [LinkLayout] = []
        var next = catalogue.nextCode(.link)
        for entity in model.entities {
            for relationship in entity.relationships.sorted(by: { $0.name < $1.name }) {
                guard let table = linkTable(of: relationship, in: entity), let source = tableIndexes[entity.root],
                    let destination = model.entity(named: relationship.destination),
                    let target = tableIndexes[destination.root]
                else { continue }
                let inverse = relationship.inverse.flatMap { destination.property(named: $0)?.relationship }
                let isSymmetric = inverse?.name == relationship.name && destination.name == entity.name
                let isOrdered = model.hasPositions(relationship)
                let keepsPairs = inverse?.isToMany ?? true
                let name = LayoutBuilder.free(table, taken: &taken)
                links.append(
                    LinkLayout(
                        index: links.count,
                        code: catalogue.code(.link, name, from: &next),
                        name: name,
                        source: source,
                        target: target,
                        isOrdered: isOrdered,
                        isSymmetric: isSymmetric,
                        sourceProperty: relationship.name,
                        targetProperty: keepsPairs ? inverse?.name : nil,
                        definition: "\(entity.root) to \(destination.root)\(isOrdered ? ", ordered" : "")"
                            + (keepsPairs ? "" : ", positions")
                    )
                )
                linkNames[table] = links.count - 1
            }
        }
        return links
    }

    private var linkNames: [String: Int] = [:]

    private func linkTable(of relationship: Relationship, in entity: Entity) -> String? {
        switch entity.property(named: relationship.name) {
        case .relationship(_, .links(let table, ownsPairs: true))?: table
        case .relationship(_, .inverse)? where relationship.isToMany && relationship.isOrdered:
            "\(entity.name)_\(relationship.name)"
        default: nil
        }
    }

    /// The link table for positions; the inverse register, not this table, determines the members.
    private func orderLink(of property: Property, in entity: Entity) -> Int? {
        guard property.relationship?.isOrdered == true else { return nil }
        return ([entity.name] + entity.ancestors).lazy.compactMap { linkNames["\($0)_\(property.name)"] }.first
    }

    private func place(of property: Property, in entity: Entity, links: [LinkLayout]) -> EntityLayout.Place {
        if let column = columnIndexes[entity.name]?[property.name], let table = tableIndexes[entity.root] {
            if case .inverseColumn(let source, let register) = columns[table][column].kind, register >= 0 {
                return .inverseColumn(column, table: source, column: register)
            }
            return .column(column)
        }
        guard case .relationship(_, let storage) = property else { return .none }
        switch storage {
        case .links(let table, let ownsPairs):
            return linkNames[table].map { .links($0, ownsPairs: ownsPairs) } ?? .none
        case .inverse(let owner, let name):
            guard let table = model.entity(named: owner).flatMap({ tableIndexes[$0.root] }),
                let column = columnIndexes[owner]?[name]
            else { return .none }
            return .inverse(table: table, column: column, order: orderLink(of: property, in: entity))
        case .column: return .none
        }
    }

    private func defaults(of entity: Entity, count: Int) -> [PropertyValue] {
        var defaults = Array(repeating: PropertyValue.null, count: count)
        for (name, columnIndex) in columnIndexes[entity.name] ?? [:] {
            defaults[columnIndex] = entity.property(named: name)?.attribute?.defaultValue ?? .null
        }
        return defaults
    }

    private static func free(_ name: String, taken: inout Set<String>) -> String {
        let isReserved = ["sqlite_", "tributary_"].contains { name.lowercased().hasPrefix($0) }
        let base = isReserved ? "entity_\(name)" : name
        var result = base
        var number = 2
        while !taken.insert(result.lowercased()).inserted {
            result = "\(base)_\(number)"
            number += 1
        }
        return result
    }
}

extension ColumnLayout {
    fileprivate func with(_ kind: Kind) -> ColumnLayout {
        ColumnLayout(
            property: property,
            name: name,
            kind: kind,
            definition: definition
        )
    }
}
