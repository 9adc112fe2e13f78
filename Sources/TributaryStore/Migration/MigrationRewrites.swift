import GRDB
package import TributaryChanges
package import TributaryModel

struct MigrationRewrites {
    private let step: MigrationStep
    private let layout: StoreModel
    private let edit: MigrationEdit

    init(step: MigrationStep, layout: StoreModel) {
        self.step = step
        self.layout = layout
        edit = MigrationEdit(step.db, configuration: step.target.configuration, layout: layout)
    }

    func run() throws {
        for change in step.inference.changes where change.kind == .fillMandatory {
            try fill(change)
            try edit.flush()
        }
        for table in step.mapping.rewrittenTables {
            for columnIndex in table.columns.indices { try rewriteRegisters(table, columnIndex) }
        }
        for link in step.before.links where step.mapping.links[link.index] == nil { try rewritePairs(link) }
        try edit.flush()
    }

    // MARK: Defaults

    private func fill(_ change: MigrationChange) throws {
        guard let entity = layout.entity(named: change.entity), let name = change.property,
            let attribute = entity.entity.property(named: name)?.attribute
        else { return }
        try write(PropertyWrite(name: name, value: attribute.defaultValue.json), toNullsOf: entity)
    }

    private func write(_ write: PropertyWrite, toNullsOf entity: EntityLayout) throws {
        guard let propertyIndex = entity.entity.propertyIndex(named: write.name),
            case .column(let columnIndex) = entity.places[propertyIndex]
        else { return }
        let table = layout.tables[entity.table]
        let codes = layout.codes(of: entity.entity, includesSubentities: true).map(String.init)
        let code = table.hasEntityColumn ? "_entity" : String(table.code)
        try rewrite(
            "SELECT rowid, _id, \(code) FROM \(table.quotedName) WHERE \(table.columns[columnIndex].quotedName) IS NULL"
                + " AND \(code) IN (\(codes.joined(separator: ", ")))"
        ) { row in
            guard let id = row.id(1), let concrete = layout.entity(code: row.integer(2)) else { return nil }
            return Change(entity: concrete.entity.name, id: id, operation: .update([write]))
        }
    }

    /// Reads page by page, because the query must not return rows that this loop writes.
    private func rewrite(_ sql: String, _ change: (BoundStatement) throws -> Change?) throws {
        let select = try BoundStatement(
            step.db,
            CachedSQL(sql + " AND rowid > ?1 ORDER BY rowid LIMIT \(MigrationEdit.batch)")
        )
        var last: Int64 = .min
        while true {
            var changes: [Change] = []
            var count = 0
            select.bind(1, last)
            try select.forEach { row in
                last = row.integer(0)
                count += 1
                if let made = try change(row) { changes.append(made) }
            }
            for change in changes { try edit.add(change) }
            if count < MigrationEdit.batch { return }
        }
    }

    // MARK: Relationships

    private func rewriteRegisters(_ table: TableLayout, _ columnIndex: Int) throws {
        guard case .reference = table.columns[columnIndex].kind else { return }
        for (index, entity) in step.before.entities.enumerated()
        where entity.table == table.index && entity.holds[columnIndex]
            && step.mapping.columnIndexes[index][columnIndex] == nil
            && step.mapping.entities[index] != nil
        {
            guard let propertyIndex = entity.propertyColumns.firstIndex(of: columnIndex),
                let relationship = entity.entity.properties[propertyIndex].relationship,
                let rewrite = self.rewrite(of: relationship, in: index)
            else { continue }
            let condition = table.hasEntityColumn ? " AND _entity = \(entity.code)" : ""
            let column = table.columns[columnIndex].quotedName
            let former = MigrationStep.former(table)
            let select = "SELECT rowid, _id, \(column) FROM \(former) WHERE \(column) IS NOT NULL\(condition)"
            try self.rewrite(select) { row in
                guard let id = row.id(1), let target = row.id(2) else { return nil }
                return rewrite.change(id, target)
            }
            try edit.flush()
            if case .assign(let owner, let property) = rewrite { try release(owner, property, table, columnIndex) }
        }
    }

    private func release(_ owner: String, _ property: String, _ table: TableLayout, _ columnIndex: Int) throws {
        let hidden = try BoundStatement(
            step.db,
            "SELECT id, target FROM tributary_former_reference WHERE root = ?1 AND place = ?2 ORDER BY id"
        )
        hidden.bind(1, table.code)
        hidden.bind(2, Int64(columnIndex))
        var references: [(id: UniqueID, target: UniqueID)] = []
        try hidden.forEach { row in
            if let id = row.id(0), let target = row.id(1) { references.append((id, target)) }
        }
        guard let entity = layout.entity(named: owner),
            let propertyIndex = entity.entity.propertyIndex(named: property),
            case .column = entity.places[propertyIndex]
        else { return }
        let new = layout.tables[entity.table]
        let exists = try BoundStatement(step.db, "SELECT 1 FROM \(new.quotedName) WHERE _id = ?1")
        for reference in references {
            exists.bind(1, reference.target)
            if try exists.first({ _ in true }) != nil { continue }
            try edit.add(RelationshipRewrite.assign(owner: owner, property).change(reference.id, reference.target))
        }
        try edit.flush()
        try write(PropertyWrite(name: property, value: .null), toNullsOf: entity)
    }

    private func rewritePairs(_ link: LinkLayout) throws {
        guard let (owner, propertyIndex) = step.mapping.owner(of: link),
            case .links = step.before.entities[owner].places[propertyIndex],
            let relationship = step.before.entities[owner].entity.properties[propertyIndex].relationship,
            let rewrite = self.rewrite(of: relationship, in: owner)
        else { return }
        let select = try BoundStatement(
            step.db,
            "SELECT _source, _target FROM \(MigrationStep.former(link)) ORDER BY _source, _target"
        )
        // The loop does not write to the table that it reads.
        try select.forEach { row in
            if let source = row.id(0), let target = row.id(1) { try edit.add(rewrite.change(source, target)) }
        }
    }

    private func rewrite(of relationship: Relationship, in entity: Int) -> RelationshipRewrite? {
        let mapping = step.mapping
        guard let new = mapping.entities[entity].map({ step.after.entities[$0].entity }),
            let name = mapping.successor(of: relationship.name, of: entity),
            let successor = new.property(named: name)?.relationship
        else { return nil }
        if successor.isToMany { return .link(owner: new.name, successor.name) }
        return successor.inverse.map { .assign(owner: successor.destination, $0) }
    }
}

private enum RelationshipRewrite {
    case link(owner: String, String)
    case assign(owner: String, String)

    func change(_ source: UniqueID, _ target: UniqueID) -> Change {
        switch self {
        case .link(let owner, let property):
            Change(entity: owner, id: source, operation: .link(to: property, ids: [target], positions: nil))
        case .assign(let owner, let property):
            Change(
                entity: owner,
                id: target,
                operation: .update([PropertyWrite(name: property, value: .string(source.description))])
            )
        }
    }
}

struct DeferredReplay {
    let db: Database
    let context: StoreContext

    private var layout: StoreModel { context.layout }

    private var table: DeferredWriteTable { DeferredWriteTable(db: db) }
    /// The limits of lines and bytes that are merged at once.
    private static let (sliceLines, sliceBytes) = (1_000, 4 << 20)

    /// One look at each deferred write, and a merge of each transaction with a line that may take effect now.
    func run(_ added: Set<String>?) throws {
        var (numbers, hasBounds, isAdded): ([Int64], Bool, Bool) = ([], false, false)
        // All versions are asked for the meaning of a deferred name, unless the step adds only names that no line has.
        func note(_ change: Change) {
            isAdded = isAdded || added?.isDisjoint(with: [change.entity] + change.operation.propertyNames) != true
        }
        try table.forEachLine { line in
            guard line.isDeferred else { return }
            note(line.change)
            if numbers.last != line.number, layout.represents(line.change) { numbers.append(line.number) }
        }
        try table.forEachBound { bound in
            note(bound.change)
            if mayHaveBound(bound.change) { hasBounds = true }
        }
        guard isAdded, !numbers.isEmpty || hasBounds else { return }
        try UnloggedTransaction.run(db, context, decidesShadows: false) { unlogged in
            try merge(numbers, in: unlogged)
            try table.forEachBound { bound in
                guard mayHaveBound(bound.change) else { return }
                try table.remove(bound)
                try unlogged.merge(bound: bound)
            }
        }
    }

    private func merge(_ numbers: [Int64], in unlogged: UnloggedTransaction) throws {
        var rest = numbers[...]
        var current: Int64?
        var (slice, bytes): ([DeferredWriteTable.Line], Int) = ([], 0)
        func flush() throws {
            try unlogged.merge(slice)
            (slice, bytes) = ([], 0)
        }
        try table.forEachLine { line in
            if line.number != current {
                try flush()
                current = nil
                guard rest.first == line.number else { return }
                current = rest.removeFirst()
                try table.removeLines(of: line.number)
            }
            slice.append(line)
            bytes += line.size
            if slice.count >= DeferredReplay.sliceLines || bytes >= DeferredReplay.sliceBytes { try flush() }
        }
        try flush()
    }

    private func mayHaveBound(_ change: Change) -> Bool {
        guard layout.represents(change), let (writes, _) = change.operation.valueWrites else { return false }
        return writes.allSatisfy { layout.mayHaveBound($0.name, of: change.entity) }
    }
}

extension MigrationInference {
    /// Includes former names; nil if the newer version does more than add.
    var addedNames: Set<String>? {
        // A composite that gains a member takes values that were deferred for it under names which have not changed.
        guard old.composites == new.composites else { return nil }
        var names: Set<String> = []
        for change in changes {
            let entity = new.entity(named: change.entity)
            let property = change.property.flatMap { entity?.property(named: $0) }
            switch change.kind {
            case .addEntity: names.formUnion([change.entity, entity?.renamingIdentifier].compactMap(\.self))
            case .addProperty: names.formUnion([change.property, property?.renamingIdentifier].compactMap(\.self))
            case .makeOptional, .changeIndexes: break
            default: return nil
            }
        }
        return names
    }
}

/// The writes are ordinary changes and are exported; valid only inside the closure that receives it.
package final class MigrationEdit {
    package let model: Model
    package let reader: Reader
    package var configuration: StoreConfiguration { reader.context.configuration }
    private let write: WriteTransaction
    /// Nil while the store is still at the old version.
    private let oldModel: Model?
    private var pending: [Change] = []
    static let batch = 5_000

    init(_ db: Database, configuration: StoreConfiguration, layout: StoreModel, oldModel: Model? = nil) {
        model = layout.model
        self.oldModel = oldModel
        reader = Reader(database: db, context: StoreContext(configuration: configuration, layout: layout))
        write = WriteTransaction(reader: reader, decidesShadows: false)
    }

    package func add(_ change: Change) throws {
        pending.append(change)
        if pending.count >= MigrationEdit.batch { try flush() }
    }

    package func flush() throws {
        guard !pending.isEmpty else { return }
        _ = try write.commit(LocalTransaction(author: UnloggedTransaction.author, changes: pending))
        pending = []
    }

    /// In the form of the log; the type is nil if the older versions do not agree on it.
    package struct Former {
        package var value: JSONValue
        package var type: AttributeType?
    }

    package func former(_ property: String, of id: UniqueID) throws -> Former? {
        let found = try DeferredWriteTable(db: reader.database).newestValue(of: property, id)
        return found.map { Former(value: $0.value, type: formerType(of: property, entity: $0.entity)) }
    }

    private func formerType(of property: String, entity name: String) -> AttributeType? {
        let all = oldModel?.entities ?? []
        let named = all.filter { ($0.name == name || $0.root == name) && $0.property(named: property) != nil }
        // The entity may have been renamed.
        let types = Set((named.isEmpty ? all : named).compactMap { $0.property(named: property)?.attribute?.type })
        return types.count == 1 ? types.first : nil
    }
}
