import GRDB
import TributaryChanges
import TributaryModel

/// The canonical merge state as lines of text: a function of the set of applied transactions.
///
/// It contains deletions, insertions, concrete entities, registers that no deletion supersedes, links and removed
/// links, both kinds of deferred writes, and counters by writer. It does not contain history or numbers that only this
/// store uses.
final class MergeState {
    private let reader: Reader
    /// Whether the lines contain the values that readers see.
    ///
    /// These values follow from the merge state, and a dump shows when they do not.
    private let includesShown: Bool
    private let layout: StoreModel
    private let versions: VersionCache
    private var versionTexts: [Int64: String] = [:]
    private static let versionTextLimit = 10_000

    init(reader: Reader, includesShown: Bool) throws {
        self.reader = reader
        self.includesShown = includesShown
        layout = reader.context.layout
        versions = try VersionCache(reader.database)
    }

    func forEachLine(_ emit: (String) -> Void) throws {
        for table in layout.tables { try objects(of: table, emit) }
        for link in layout.links.sorted(by: { $0.name < $1.name }) { try pairs(of: link, emit) }
        for table in layout.tables { try counters(of: table, emit) }
        let deferred = DeferredState(database: reader.database, layout: layout, versions: versions, text: text)
        try deferred.forEachLine(emit)
    }

    // MARK: Objects

    private func objects(of table: TableLayout, _ emit: (String) -> Void) throws {
        let columns = table.columns.map { "," + $0.quotedName }.joined()
        let visible = try BoundStatement(
            reader.database,
            "SELECT \(ObjectTable.head(table))\(columns) FROM \(table.quotedName) ORDER BY _id"
        )
        let partial = try BoundStatement(
            reader.database,
            "SELECT id, deleted, registers FROM tributary_object WHERE root = ?1 ORDER BY id"
        )
        partial.bind(1, table.code)
        defer {
            visible.reset()
            partial.reset()
        }
        let columnIndexes = table.columns.indices.sorted { table.columns[$0].name < table.columns[$1].name }
        var row = try visible.step() ? VisibleRow(visible, layout: layout) : nil
        var partialID = try partial.step() ? partial.id(0) : nil
        while row != nil || partialID != nil {
            if let current = row, partialID.map({ current.id < $0 }) ?? true {
                try emitVisible(current, visible, table, columnIndexes, emit)
                row = try visible.step() ? VisibleRow(visible, layout: layout) : nil
            } else if let id = partialID {
                try emitPartial(id, partial, table, columnIndexes, emit)
                partialID = try partial.step() ? partial.id(0) : nil
            }
        }
    }

    private func emitVisible(
        _ row: VisibleRow,
        _ statement: BoundStatement,
        _ table: TableLayout,
        _ columnIndexes: [Int],
        _ emit: (String) -> Void
    ) throws {
        let entity = layout.entities[row.entity]
        var head = "\(table.root.name) \(row.id) \(entity.entity.name) inserted \(try text(row.versions.inserted))"
        if let deleted = row.versions.deleted { head += " deleted \(try text(deleted))" }
        emit(head)
        for columnIndex in columnIndexes {
            let column = table.columns[columnIndex]
            let shown = column.value(in: statement, at: Int32(6 + columnIndex))
            if includesShown, entity.holds[columnIndex] || !column.isRegister {
                emit("  \(column.name) shows \(shown.canonicalBlob.json.text)")
            }
            guard column.isRegister, column.mergeRule != .counter,
                let number = row.versions.register(columnIndex, isHeld: entity.holds[columnIndex])
            else { continue }
            var value = shown
            if case .reference = column.kind, shown.isNull,
                let target = try unresolvedTarget(table, row.id, columnIndex)
            {
                value = .reference(target)
            }
            emit(try register(column, value, number))
        }
    }

    private func emitPartial(
        _ id: UniqueID,
        _ statement: BoundStatement,
        _ table: TableLayout,
        _ columnIndexes: [Int],
        _ emit: (String) -> Void
    ) throws {
        let object = statement.withBytes(2) { PartialRow(deleted: statement.optionalInteger(1), packed: $0) }
        guard object.deleted != nil || !object.registers.isEmpty else { return }
        emit("\(table.root.name) \(id) hidden deleted \(try object.deleted.map { try text($0) } ?? "never")")
        for columnIndex in columnIndexes {
            guard let held = object.registers[columnIndex] else { continue }
            emit(try register(table.columns[columnIndex], held.value, held.version))
        }
    }

    /// A greatest or least value does not depend on its writer and its version.
    private func register(_ column: ColumnLayout, _ value: PropertyValue, _ number: Int64) throws -> String {
        let text = "  \(column.name) = \(value.canonicalBlob.json.text)"
        return column.mergeRule == .latest ? "\(text) at \(try self.text(number))" : text
    }

    private func unresolvedTarget(_ table: TableLayout, _ id: UniqueID, _ columnIndex: Int) throws -> UniqueID? {
        let statement = try BoundStatement(
            reader.database,
            "SELECT target FROM tributary_reference WHERE root = ?1 AND id = ?2 AND place = ?3"
        )
        statement.bind(1, table.code)
        statement.bind(2, id)
        statement.bind(3, Int64(columnIndex))
        return try statement.first { $0.id(0) } ?? nil
    }

    // MARK: The rest

    private func pairs(of link: LinkLayout, _ emit: (String) -> Void) throws {
        let position = link.isOrdered ? "_position" : "NULL"
        let statement = try BoundStatement(
            reader.database,
            """
            SELECT _source AS source, _target AS target, _version, 0, \(position), 1 FROM \(link.quotedName)
            UNION ALL SELECT source, target, version, removed, position, 0 FROM tributary_link WHERE link = ?1
            ORDER BY source, target
            """
        )
        statement.bind(1, link.code)
        try statement.forEach { row in
            guard let source = row.id(0), let target = row.id(1) else { return }
            let kind = row.integer(3) == 0 ? "linked" : "unlinked"
            var line = "\(link.name) \(source) \(target) \(kind) \(try text(row.integer(2)))"
            if let position = row.optionalText(4) { line += " at \(JSONValue.string(position).text)" }
            if includesShown, row.integer(5) != 0 { line += " shown" }
            emit(line)
        }
    }

    private func counters(of table: TableLayout, _ emit: (String) -> Void) throws {
        let columnIndexes = table.columns.indices.filter { table.columns[$0].mergeRule == .counter }
        for columnIndex in columnIndexes.sorted(by: { table.columns[$0].name < table.columns[$1].name }) {
            let statement = try BoundStatement(
                reader.database,
                """
                SELECT c.id, w.uuid, c.total FROM tributary_counter c JOIN tributary_writer w ON w.id = c.writer
                WHERE c.root = ?1 AND c.place = ?2 ORDER BY c.id, w.uuid
                """
            )
            statement.bind(1, table.code)
            statement.bind(2, Int64(columnIndex))
            try statement.forEach { row in
                guard let id = row.id(0) else { return }
                let total = table.columns[columnIndex].value(in: row, at: 2).json.text
                emit("counter \(table.root.name) \(id) \(table.columns[columnIndex].name) \(row.text(1)) \(total)")
            }
        }
    }

    private func text(_ number: Int64) throws -> String {
        if let known = versionTexts[number] { return known }
        let version = try versions.version(number)
        if versionTexts.count >= MergeState.versionTextLimit { versionTexts.removeAll(keepingCapacity: true) }
        let text = "\(version.clock)/\(version.writer)"
        versionTexts[number] = text
        return text
    }
}
