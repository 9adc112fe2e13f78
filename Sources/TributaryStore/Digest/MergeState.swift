import GRDB
import TributaryChanges
import TributaryModel

/// The canonical merge state of a store: a function of the set of applied transactions, without history.
struct MergeState {
    let reader: Reader
    let versions: VersionCache
    /// Includes the values that readers see; they follow from the merge state, unless the store has a fault.
    let includesShown: Bool

    private var layout: StoreModel { reader.context.layout }

    /// In the same order on all machines, except for the deferred writes at the end.
    func forEach(_ emit: (MergeStateItem) throws -> Void) throws {
        for table in layout.tables { try objects(of: table) { try emit(.object($0)) } }
        for link in layout.links.sorted(by: { $0.name < $1.name }) { try pairs(of: link) { try emit(.pair($0)) } }
        for table in layout.tables { try counters(of: table) { try emit(.counter($0)) } }
        try DeferredState(reader, versions).forEach { try emit(.deferred($0)) }
    }

    private func objects(of table: TableLayout, _ emit: (MergeStateItem.Object) throws -> Void) throws {
        let columns = table.columns.map { "," + $0.quotedName }.joined()
        let visible = try BoundStatement(
            reader.database,
            "SELECT \(ObjectTable.head(table))\(columns) FROM \(table.quotedName) ORDER BY _id"
        )
        let partial = try BoundStatement(
            reader.database,
            """
            SELECT id, deleted, registers, inserted, entity, representative FROM tributary_object
            WHERE root = \(value: table.code) ORDER BY id
            """
        )
        let references = try HeldReferences(reader.database, of: table)
        defer {
            visible.reset()
            partial.reset()
            references.reset()
        }
        let order = table.columns.indices.sorted { table.columns[$0].name < table.columns[$1].name }
        var row = try visible.step() ? VisibleRow(visible, layout: layout) : nil
        var partialID = try partial.step() ? partial.id(0) : nil
        while row != nil || partialID != nil {
            if let current = row, partialID.map({ current.id < $0 }) ?? true {
                try emit(self.visible(current, visible, table, order, holding: references.targets(of: current.id)))
                row = try visible.step() ? VisibleRow(visible, layout: layout) : nil
            } else if let id = partialID {
                if let object = hidden(id, partial, table, order) { try emit(object) }
                partialID = try partial.step() ? partial.id(0) : nil
            }
        }
    }

    private func visible(
        _ row: VisibleRow,
        _ statement: BoundStatement,
        _ table: TableLayout,
        _ order: [Int],
        holding held: [Int: UniqueID]
    ) -> MergeStateItem.Object {
        let entity = layout.entities[row.entity]
        var object = MergeStateItem.Object(table: table, id: row.id, deleted: row.versions.deleted)
        object.insert = (row.versions.inserted, entity)
        for index in order {
            let column = table.columns[index]
            let shown = column.value(in: statement, at: Int32(6 + index))
            var item = MergeStateItem.Column(index: index)
            if includesShown, entity.holds[index] || !column.isRegister { item.shown = shown }
            if column.isRegister, column.mergeRule != .counter,
                let version = row.versions.register(index, isHeld: entity.holds[index])
            {
                var value = shown
                if case .reference = column.kind, let target = held[index] { value = .reference(target) }
                item.register = Register(version: version, value: value)
            }
            if item.shown != nil || item.register != nil { object.columns.append(item) }
        }
        return object
    }

    /// A tombstone, an object that was written but never inserted, or a shadow; nil if nothing of it has an effect.
    private func hidden(
        _ id: UniqueID,
        _ statement: BoundStatement,
        _ table: TableLayout,
        _ order: [Int]
    ) -> MergeStateItem.Object? {
        let partial = statement.withBytes(2) { PartialRow(deleted: statement.optionalInteger(1), packed: $0) }
        let shadow = PartialRow.Shadow(statement, at: 3)
        guard partial.deleted != nil || !partial.registers.isEmpty || shadow != nil else { return nil }
        var object = MergeStateItem.Object(table: table, id: id, deleted: partial.deleted)
        if let shadow {
            object.insert = layout.entity(code: shadow.entity).map { (shadow.inserted, $0) }
            if includesShown { object.representative = shadow.representative }
        }
        for index in order {
            guard let register = partial.registers[index] else { continue }
            object.columns.append(MergeStateItem.Column(index: index, register: register))
        }
        return object
    }

    private func pairs(of link: LinkLayout, _ emit: (MergeStateItem.Pair) throws -> Void) throws {
        let position = link.isOrdered ? "_position" : "NULL"
        let statement = try BoundStatement(
            reader.database,
            """
            SELECT _source AS source, _target AS target, _version, 0, \(position), 1 FROM \(link.quotedName)
            WHERE _version <> 0
            UNION ALL SELECT source, target, version, removed, position, 0 FROM tributary_link WHERE link = ?1
            ORDER BY source, target
            """
        )
        statement.bind(1, link.code)
        try statement.forEach { row in
            guard let source = row.id(0), let target = row.id(1) else { return }
            try emit(
                MergeStateItem.Pair(
                    link: link,
                    source: source,
                    target: target,
                    isLinked: row.integer(3) == 0,
                    version: row.integer(2),
                    position: row.optionalText(4),
                    isShown: row.integer(5) != 0
                )
            )
        }
    }

    private func counters(of table: TableLayout, _ emit: (MergeStateItem.Counter) throws -> Void) throws {
        let columns = table.columns.indices.filter { table.columns[$0].mergeRule == .counter }
        for column in columns.sorted(by: { table.columns[$0].name < table.columns[$1].name }) {
            let statement = try BoundStatement(
                reader.database,
                """
                SELECT c.id, w.uuid, c.total FROM tributary_counter c JOIN tributary_writer w ON w.id = c.writer
                WHERE c.root = \(value: table.code) AND c.place = \(value: Int64(column)) ORDER BY c.id, w.uuid
                """
            )
            let index = StoreModel.ColumnIndex(table: table.index, column: column)
            var counter: MergeStateItem.Counter?
            try statement.forEach { row in
                guard let id = row.id(0) else { return }
                if let counter, counter.id != id { try emit(counter) }
                if counter?.id != id { counter = MergeStateItem.Counter(column: index, id: id) }
                counter?.totals.append((row.text(1), table.columns[column].total(in: row, at: 2)))
            }
            if let counter { try emit(counter) }
        }
    }
}

enum MergeStateItem {
    case object(Object)
    case pair(Pair)
    case counter(Counter)
    case deferred(DeferredObject)

    struct Object {
        var table: TableLayout
        var id: UniqueID
        var insert: (version: Int64, entity: EntityLayout)?
        var deleted: Int64?
        var representative: UniqueID?
        var columns: [Column] = []
    }

    struct Column {
        var index: Int
        var shown: PropertyValue?
        var register: Register<Int64, PropertyValue>?
    }

    struct Pair {
        var link: LinkLayout
        var source: UniqueID
        var target: UniqueID
        var isLinked: Bool
        var version: Int64
        var position: String?
        var isShown: Bool
    }

    struct Counter {
        var column: StoreModel.ColumnIndex
        var id: UniqueID
        var totals: [(writer: String, total: PropertyValue)] = []
    }
}

/// Reads the targets that a table's references hold without showing them, in step with the rows; O(n) in all.
private final class HeldReferences {
    private let statement: BoundStatement
    private var isAtReference = false

    init(_ db: Database, of table: TableLayout) throws {
        statement = try BoundStatement(
            db,
            "SELECT id, place, target FROM tributary_reference WHERE root = ?1 ORDER BY id"
        )
        statement.bind(1, table.code)
        isAtReference = try statement.step()
    }

    func targets(of id: UniqueID) throws -> [Int: UniqueID] {
        var found: [Int: UniqueID] = [:]
        while isAtReference, let next = statement.id(0), !(id < next) {
            if next == id, let target = statement.id(2) { found[Int(statement.integer(1))] = target }
            isAtReference = try statement.step()
        }
        return found
    }

    func reset() { statement.reset() }
}
