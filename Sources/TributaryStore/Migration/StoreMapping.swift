import TributaryChanges
import TributaryModel

struct StoreMapping {
    struct Link {
        var link: Int
        var swaps: Bool
    }

    let before: StoreModel
    let after: StoreModel
    let mapping: ModelMapping
    private(set) var entities: [Int?] = []
    private(set) var tables: [Int?] = []
    private(set) var columnIndexes: [[Int?]] = []
    /// For objects with an unknown concrete entity.
    private(set) var columns: [[Int?]] = []
    private(set) var links: [Link?] = []
    private(set) var isKept: [Bool] = []

    init(from before: StoreModel, to after: StoreModel, mapping: ModelMapping) {
        self.before = before
        self.after = after
        self.mapping = mapping
        let successors = mapping.successors
        let mapped = before.entities.map { old in
            successors[old.entity.name].flatMap { name in after.entities.firstIndex { $0.entity.name == name } }
        }
        entities = mapped
        tables = before.tables.map { table in
            zip(before.entities, mapped).lazy.compactMap { old, successor in
                old.table == table.index ? successor.map { after.entities[$0].table } : nil
            }.first
        }
        columns = before.tables.map { Array(repeating: nil, count: $0.columns.count) }
        for index in before.entities.indices { placeColumns(of: index) }
        for index in before.entities.indices { fillColumns(of: index) }
        dropInverseColumns()
        links = before.links.map { target(of: $0) }
        isKept = before.tables.map { keeps($0) }
    }

    var rewrittenTables: [TableLayout] { before.tables.filter { !isKept[$0.index] } }

    var destinationTables: Set<Int> { Set(rewrittenTables.compactMap { tables[$0.index] }) }

    var rewrittenLinks: [LinkLayout] { before.links.filter { !keeps($0) } }

    func successor(of property: String, of entity: Int) -> String? {
        guard let new = entities[entity] else { return nil }
        let known = mapping.properties[after.entities[new].entity.name] ?? [:]
        return known.first { $0.value == property }?.key
    }

    // MARK: Columns

    private mutating func placeColumns(of index: Int) {
        let old = before.entities[index]
        var found = [Int?](repeating: nil, count: before.tables[old.table].columns.count)
        if let new = entities[index].map({ after.entities[$0] }) {
            for (propertyIndex, property) in new.entity.properties.enumerated() {
                guard let name = mapping.property(property.name, of: new.entity.name),
                    let oldIndex = old.entity.propertyIndex(named: name), let from = old.propertyColumns[oldIndex],
                    let to = new.propertyColumns[propertyIndex],
                    fits(before.tables[old.table].columns[from], after.tables[new.table].columns[to])
                else { continue }
                found[from] = to
                if columns[old.table][from] == nil { columns[old.table][from] = to }
            }
        }
        columnIndexes.append(found)
    }

    /// Also maps registers of other entities of the table, because an object may have values in them.
    private mutating func fillColumns(of index: Int) {
        guard entities[index] != nil else { return }
        let old = before.entities[index]
        for columnIndex in columnIndexes[index].indices
        where columnIndexes[index][columnIndex] == nil && !old.holds[columnIndex] {
            columnIndexes[index][columnIndex] = columns[old.table][columnIndex]
        }
    }

    private func fits(_ old: ColumnLayout, _ new: ColumnLayout) -> Bool {
        switch (old.kind, new.kind) {
        case (.attribute(let from, _), .attribute(let to, _)): from.convertsLosslessly(to: to) || from.isRounded(as: to)
        case (.reference(let from, _, _), .reference(let to, _, _)): tables[from] == to
        case (.inverseColumn, .inverseColumn): true
        default: false
        }
    }

    private mutating func dropInverseColumns() {
        func isShown(_ table: Int, _ columnIndex: Int, _ newTable: Int, _ newIndex: Int) -> Bool {
            guard case .inverseColumn(let source, let column) = before.tables[table].columns[columnIndex].kind,
                case .inverseColumn(let newSource, let newColumn) = after.tables[newTable].columns[newIndex].kind
            else { return true }
            return tables[source] == newSource && columns[source][column] == newColumn
        }
        for index in before.entities.indices {
            guard let new = entities[index] else { continue }
            let (table, newTable) = (before.entities[index].table, after.entities[new].table)
            for (columnIndex, newIndex) in columnIndexes[index].enumerated() {
                guard let newIndex, !isShown(table, columnIndex, newTable, newIndex) else { continue }
                columnIndexes[index][columnIndex] = nil
                columns[table][columnIndex] = nil
            }
        }
    }

    private func keeps(_ old: TableLayout) -> Bool {
        guard let index = tables[old.index], after.tables[index].name.isIdentical(to: old.name),
            after.tables[index].root.name.isIdentical(to: old.root.name)
        else { return false }
        let new = after.tables[index]
        guard new.columns.count >= old.columns.count, new.hasEntityColumn || !old.hasEntityColumn else { return false }
        for (columnIndex, column) in old.columns.enumerated() {
            guard new.columns[columnIndex].name.isIdentical(to: column.name),
                new.columns[columnIndex].definition.isIdentical(to: column.definition),
                new.columns[columnIndex].property.isIdentical(to: column.property)
            else { return false }
        }
        for (number, entity) in before.entities.enumerated() where entity.table == old.index {
            guard let successor = entities[number].map({ after.entities[$0] }), successor.table == index,
                !entity.holds.indices.contains(where: { successor.holds[$0] != entity.holds[$0] }),
                !columnIndexes[number].indices.contains(where: { columnIndex in
                    entity.propertyColumns.contains(columnIndex) && columnIndexes[number][columnIndex] != columnIndex
                })
            else { return false }
            // An existing column may belong to another property now.
            let taken = successor.propertyColumns.compactMap { $0 }.filter { $0 < old.columns.count }
            guard taken.allSatisfy({ columnIndexes[number][$0] == $0 }) else { return false }
        }
        return true
    }

    // MARK: Links

    func owner(of link: LinkLayout) -> (entity: Int, propertyIndex: Int)? {
        var found: (entity: Int, propertyIndex: Int)?
        for (index, entity) in before.entities.enumerated() {
            guard let propertyIndex = entity.places.firstIndex(where: { $0.isOwner(of: link.index) }) else { continue }
            if let known = found,
                before.entities[known.entity].entity.ancestors.count <= entity.entity.ancestors.count
            {
                continue
            }
            found = (index, propertyIndex)
        }
        return found
    }

    private func target(of link: LinkLayout) -> Link? {
        guard let (entity, propertyIndex) = owner(of: link),
            let found = successor(of: entity, propertyIndex)
        else { return nil }
        let target = after.links[found.link]
        let ends = found.swaps ? (target.target, target.source) : (target.source, target.target)
        guard tables[link.source] == ends.0, tables[link.target] == ends.1, target.isSymmetric == link.isSymmetric
        else {
            return nil
        }
        return found
    }

    private func successor(of entity: Int, _ propertyIndex: Int) -> Link? {
        guard let new = entities[entity].map({ after.entities[$0] }),
            let name = successor(of: before.entities[entity].entity.properties[propertyIndex].name, of: entity),
            let newIndex = new.entity.propertyIndex(named: name)
        else { return nil }
        switch (before.entities[entity].places[propertyIndex], new.places[newIndex]) {
        case (.links, .links(let index, let ownsPairs)): return Link(link: index, swaps: !ownsPairs)
        case (.inverse, .inverse(_, _, let order?)): return Link(link: order, swaps: false)
        default: return nil
        }
    }

    func keeps(_ link: LinkLayout) -> Bool {
        guard let route = links[link.index], !route.swaps else { return false }
        let new = after.links[route.link]
        return new.name.isIdentical(to: link.name) && new.definition.isIdentical(to: link.definition)
            && new.code == link.code
    }
}

extension EntityLayout.Place {
    func isOwner(of link: Int) -> Bool {
        switch self {
        case .links(link, true), .inverse(_, _, .some(link)): true
        default: false
        }
    }
}
