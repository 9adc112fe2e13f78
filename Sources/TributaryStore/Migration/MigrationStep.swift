import GRDB
import TributaryChanges
import TributaryModel

/// Migrates a store between two versions of its model, as if it had merged the same transactions with the newer model
/// from the beginning.
///
/// Renamed and converted values keep their versions; values that the newer model lacks are deferred. All other values
/// are written as changes of this store, which are exported.
final class MigrationStep {
    let db: Database
    let target: MigrationTarget
    let inference: MigrationInference
    let before: StoreModel
    let after: StoreModel
    let mapping: StoreMapping
    let deferred: DeferredWriteTable
    let partialRows: PartialRowTable
    private let catalogue: Catalogue
    private let learnsNames: Bool
    private let report: (@Sendable (MigrationProgress) throws -> Void)?
    private(set) var progress: MigrationProgress
    var unresolved: Set<StoreModel.ColumnIndex> = []
    static let reported = 2_000

    init(
        db: Database,
        target: MigrationTarget,
        inference: MigrationInference,
        learnsNames: Bool,
        report: (@Sendable (MigrationProgress) throws -> Void)?
    ) throws {
        self.learnsNames = learnsNames
        self.db = db
        self.target = target
        self.inference = inference
        self.report = report
        let known = try Catalogue(db)
        let before = MigrationTarget(inference.old, older: .none, target.configuration).layout(known)
        var catalogue = MigrationStep.carry(known, before, inference)
        let first = StoreMapping(from: before, to: target.layout(catalogue), mapping: inference.mapping)
        for (link, target) in zip(before.links, first.links) {
            guard let target else { continue }
            let name = first.after.links[target.link].name
            catalogue[.link, "", name] = Catalogue.Entry(code: link.code, definition: "", initial: "")
        }
        self.before = before
        after = target.layout(catalogue)
        mapping = StoreMapping(from: before, to: after, mapping: inference.mapping)
        self.catalogue = known
        deferred = DeferredWriteTable(db: db)
        partialRows = try PartialRowTable(db, layout: after)
        progress = MigrationProgress(from: inference.old.version, to: inference.new.version)
    }

    /// Keeps codes under new names, and column indexes of tables that keep their names.
    private static func carry(
        _ known: Catalogue,
        _ before: StoreModel,
        _ inference: MigrationInference
    ) -> Catalogue {
        var result = Catalogue()
        for (new, old) in inference.mapping.entities {
            result[.entity, "", new] = known[.entity, "", old]
            guard new == old, before.table(rootEntity: old) != nil else { continue }
            for column in known.columns(of: old) { result[.column, old, column.name] = column.entry }
        }
        return result
    }

    func run() throws -> StoreModel {
        progress.total = try rowsToRewrite()
        try Schema.dropViews(in: db)
        try dropIndexes()
        try renameShapes()
        try setAside()
        for table in mapping.rewrittenTables { try copy(table) }
        try copyPartialRows()
        try copyCounters()
        try fillCounters()
        try copyLinks()
        try moveTombstones()
        try middle().write(to: db)
        let layout = try AdditiveMigration(db: db, target: target).run(added: learnsNames ? nil : inference.addedNames)
        try decideVisibility(layout)
        try MigrationRewrites(step: self, layout: layout).run()
        try dropFormer()
        return layout
    }

    func report(_ entity: String, adding count: Int) throws {
        progress.entity = entity
        progress.done += count
        try report?(progress)
    }

    // MARK: Names

    static let setAsideTables = ["object", "reference", "counter"]

    static func former(_ table: TableLayout) -> String { "tributary_former_\(table.index)" }

    static func former(_ link: LinkLayout) -> String { "tributary_former_link_\(link.index)" }

    private func middle() -> Catalogue {
        var result = Catalogue(after)
        func dropEntries(of root: String, _ entities: Set<String>) {
            result.keep { key in
                !(key.kind == .column && key.owner == root) && !(key.kind == .entity && entities.contains(key.name))
            }
        }
        var arrived = Set<Int>()
        for (old, new) in mapping.tables.enumerated() {
            guard let new else { continue }
            arrived.insert(new)
            guard mapping.isKept[old] else { continue }
            let root = before.tables[old].root.name
            let entities = Set(after.tables[new].entities)
            dropEntries(of: root, entities)
            for column in catalogue.columns(of: root) { result[.column, root, column.name] = column.entry }
            for (index, entity) in before.entities.enumerated() where entity.table == old {
                guard let successor = mapping.entities[index].map({ after.entities[$0] }) else { continue }
                result[.entity, "", successor.entity.name] = catalogue[.entity, "", entity.entity.name]
            }
        }
        for table in after.tables where !arrived.contains(table.index) {
            dropEntries(of: table.root.name, Set(table.entities))
        }
        let carried = Set(mapping.links.compactMap { $0.map { after.links[$0.link].name } })
        result.keep { $0.kind != .link || carried.contains($0.name) }
        return result
    }

    private func rowsToRewrite() throws -> Int {
        try mapping.rewrittenTables.reduce(0) { sum, table in
            sum + (try Int.fetchOne(db, sql: "SELECT count(*) FROM \(table.quotedName)") ?? 0)
        }
    }

    /// Drops indexes of rewritten tables, indexes that the new model lacks, and all if names, keys or indexes change.
    private func dropIndexes() throws {
        let rewritten = Set(mapping.rewrittenTables.map(\.name) + mapping.rewrittenLinks.map(\.name))
        let kinds: Set<MigrationChange.Kind> = [
            .changeIndexes, .changeConstraints, .renameEntity, .renameProperty, .removeEntity, .changeParent,
        ]
        let areOthers = inference.changes.contains { kinds.contains($0.kind) }
        let modelIndexes = Set(Schema.modelIndexes(of: before).map(\.name))
        let gone = modelIndexes.subtracting(Schema.modelIndexes(of: after).map(\.name))
        let indexes = try GRDB.Row.fetchAll(
            db,
            sql: "SELECT name, tbl_name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL"
        )
        for index in indexes {
            let (name, table): (String, String) = (index[0], index[1])
            if rewritten.contains(table) || gone.contains(name) || (areOthers && modelIndexes.contains(name)) {
                try db.execute(sql: "DROP INDEX \(quoted(name))")
            }
        }
    }

    private func dropFormer() throws {
        let names =
            mapping.rewrittenTables.map { MigrationStep.former($0) }
            + mapping.rewrittenLinks.map { MigrationStep.former($0) }
            + MigrationStep.setAsideTables.map { "tributary_former_\($0)" }
        for name in names { try db.execute(sql: "DROP TABLE \(name)") }
    }
}

struct MigrationTarget {
    let configuration: StoreConfiguration
    private let formerNames: FormerNamesSource

    init(_ model: Model, older: ModelVersions, _ configuration: StoreConfiguration) {
        older.reportFailures(like: configuration.model.earlier)
        var configuration = configuration
        configuration.model = model
        self.configuration = configuration
        formerNames = FormerNamesSource { FormerNames(of: model, histories: [older, model.earlier]) }
    }

    var model: Model { configuration.model }

    func layout(_ catalogue: Catalogue) -> StoreModel {
        var builder = LayoutBuilder(model: model, catalogue: catalogue)
        return builder.build(storeName: configuration.name, formerNames: formerNames)
    }
}

/// Relationships that became one-to-one, or ceased to be, show their targets by another rule.
extension MigrationStep {
    func decideVisibility(_ layout: StoreModel) throws {
        var columns: [StoreModel.ColumnIndex] = []
        for table in layout.tables {
            for column in table.columns.indices where needsDecision(table, column) {
                columns.append(StoreModel.ColumnIndex(table: table.index, column: column))
            }
        }
        let hidden = try hiddenObjects()
        guard !columns.isEmpty || !hidden.isEmpty else { return }
        let context = StoreContext(configuration: target.configuration, layout: layout)
        try UnloggedTransaction.run(db, context, decidesShadows: false) { transaction in
            for column in columns {
                guard case .reference(let target, let isOneToOne, _) = layout[column].kind else { continue }
                if isOneToOne {
                    for id in try targets(column, layout) { try transaction.decideOwner(of: id, in: column) }
                } else {
                    try show(column, target: layout.tables[target], layout)
                }
            }
            for object in hidden { try transaction.hide(object.id, table: object.table) }
        }
    }

    private func hiddenObjects() throws -> [(table: Int, id: UniqueID)] {
        var found: [(table: Int, id: UniqueID)] = []
        for (index, entity) in before.entities.enumerated() where mapping.entities[index] == nil {
            let table = before.tables[entity.table]
            guard let successor = mapping.tables[table.index], !mapping.isKept[table.index], table.hasEntityColumn
            else {
                continue
            }
            let select = try BoundStatement(
                db,
                "SELECT _id FROM \(MigrationStep.former(table)) WHERE _entity = \(String(entity.code))"
            )
            try select.forEach { row in
                if let id = row.id(0) { found.append((successor, id)) }
            }
        }
        return found
    }

    private func needsDecision(_ table: TableLayout, _ columnIndex: Int) -> Bool {
        guard case .reference(_, let isOneToOne, let inverse) = table.columns[columnIndex].kind else { return false }
        for old in before.tables where mapping.tables[old.index] == table.index {
            guard let source = mapping.columns[old.index].firstIndex(of: columnIndex),
                case .reference(_, let wasOneToOne, let former) = old.columns[source].kind
            else { continue }
            if mapping.isKept[old.index] { return isOneToOne != wasOneToOne }
            if isOneToOne != wasOneToOne { return true }
            guard isOneToOne, let inverse else { return false }
            return !isInverseCarried(old, source, former, to: inverse)
        }
        return false
    }

    private func isInverseCarried(_ old: TableLayout, _ source: Int, _ former: Int?, to inverse: Int) -> Bool {
        guard let former, case .reference(let target, _, _) = old.columns[source].kind else { return false }
        return mapping.columns[target][former] == inverse
    }

    private func targets(_ index: StoreModel.ColumnIndex, _ layout: StoreModel) throws -> [UniqueID] {
        let table = layout.tables[index.table]
        let column = layout[index].quotedName
        let select = try BoundStatement(
            db,
            """
            SELECT \(column) FROM \(table.quotedName) WHERE \(column) IS NOT NULL
            UNION SELECT target FROM tributary_reference WHERE root = ?1 AND place = ?2
            """
        )
        select.bind(1, table.code)
        select.bind(2, Int64(index.column))
        var found: [UniqueID] = []
        try select.forEach { row in if let id = row.id(0) { found.append(id) } }
        return found
    }

    private func show(_ index: StoreModel.ColumnIndex, target: TableLayout, _ layout: StoreModel) throws {
        let table = layout.tables[index.table]
        let held = """
            FROM tributary_reference r WHERE r.root = \(table.code) AND r.place = \(index.column)
            AND r.target IN (SELECT _id FROM \(target.quotedName))
            """
        let column = layout[index].quotedName
        try db.execute(
            sql: """
                UPDATE \(table.quotedName) SET \(column) = (SELECT r.target \(held) AND r.id = \(table.quotedName)._id)
                WHERE _id IN (SELECT r.id \(held));
                DELETE FROM tributary_reference WHERE root = \(table.code) AND place = \(index.column)
                AND id IN (SELECT _id FROM \(table.quotedName) WHERE \(column) IS NOT NULL);
                """
        )
    }
}
