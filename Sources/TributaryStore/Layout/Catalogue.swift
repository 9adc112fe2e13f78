package import GRDB
import TributaryChanges
import TributaryModel

/// The recorded codes, column indexes and definitions of a model.
///
/// A store compares them to detect a changed model.
package struct Catalogue {
    package enum Kind: String { case entity, column, link }

    package struct Key: Hashable {
        package var kind: Kind
        package var owner: String
        package var name: String
    }

    package struct Entry: Hashable {
        package var code: Int64
        package var definition: String
        /// The part of the definition that may change: a column's default as JSON, or whether an entity is abstract.
        package var initial: String

        package init(code: Int64, definition: String, initial: String) {
            self.code = code
            self.definition = definition
            self.initial = initial
        }

        init(code: Int64, table: String, isAbstract: Bool) {
            self.init(code: code, definition: Entry.tableWord + table, initial: isAbstract ? "abstract" : "")
        }

        package var table: String? {
            definition.hasPrefix(Entry.tableWord) ? String(definition.dropFirst(Entry.tableWord.count)) : nil
        }

        private static let tableWord = "in "
    }

    package private(set) var entries: [Key: Entry] = [:]

    package init() {}

    package init(_ db: Database) throws {
        let rows = try GRDB.Row.fetchCursor(
            db,
            sql: "SELECT kind, owner, name, code, definition, initial FROM tributary_catalogue"
        )
        while let row = try rows.next() {
            guard let kind = Kind(rawValue: row[0]) else { continue }
            entries[Key(kind: kind, owner: row[1], name: row[2])] = Entry(
                code: row[3],
                definition: row[4],
                initial: row[5]
            )
        }
    }

    package subscript(kind: Kind, owner: String, name: String) -> Entry? {
        get { entries[Key(kind: kind, owner: owner, name: name)] }
        set { entries[Key(kind: kind, owner: owner, name: name)] = newValue }
    }

    package mutating func keep(_ isWanted: (Key) -> Bool) { entries = entries.filter { isWanted($0.key) } }

    /// Whether both have the same entities, columns and links, under the same numbers.
    func hasNumbers(of other: Catalogue) -> Bool { entries.mapValues(\.code) == other.entries.mapValues(\.code) }

    func code(_ kind: Kind, _ name: String, from next: inout Int64) -> Int64 {
        if let known = self[kind, "", name] { return known.code }
        defer { next += 1 }
        return next
    }

    func nextCode(_ kind: Kind) -> Int64 {
        (entries.filter { $0.key.kind == kind }.map(\.value.code).max() ?? 0) + 1
    }

    package func columns(of root: String) -> [(name: String, entry: Entry)] {
        entries.filter { $0.key.kind == .column && $0.key.owner == root }
            .map { ($0.key.name, $0.value) }
            .sorted { $0.1.code < $1.1.code }
    }

    package init(_ layout: StoreModel) {
        for entity in layout.entities {
            entries[Key(kind: .entity, owner: "", name: entity.entity.name)] = Entry(
                code: entity.code,
                table: layout.tables[entity.table].name,
                isAbstract: entity.entity.isAbstract
            )
        }
        for table in layout.tables {
            for (index, column) in table.columns.enumerated() {
                entries[Key(kind: .column, owner: table.root.name, name: column.name)] = Entry(
                    code: Int64(index),
                    definition: column.definition,
                    initial: layout.initial(of: index, in: table)
                )
            }
        }
        for link in layout.links {
            entries[Key(kind: .link, owner: "", name: link.name)] = Entry(
                code: link.code,
                definition: link.definition,
                initial: ""
            )
        }
    }

    package func write(to db: Database) throws {
        try db.execute(sql: "DELETE FROM tributary_catalogue")
        for (key, entry) in entries {
            try db.execute(
                sql:
                    "INSERT INTO tributary_catalogue(kind, owner, name, code, definition, initial) VALUES (?,?,?,?,?,?)",
                arguments: [key.kind.rawValue, key.owner, key.name, entry.code, entry.definition, entry.initial]
            )
        }
    }
}
