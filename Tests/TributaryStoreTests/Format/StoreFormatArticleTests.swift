import Foundation
import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges
import TributaryModel

@testable import TributaryStore

@Suite struct StoreFormatArticleTests {
    /// Each query of the worked example, run by the `sqlite3` command and by this project, has the printed result.
    @Test func theWorkedExampleHasThePrintedResults() async throws {
        let example = try StoreFormatExample()
        let queries = example.article.blocks(after: "<!-- sql -->")
        let results = example.article.blocks(after: "<!-- result -->")
        #expect(queries.count == results.count && queries.count >= 5)
        for (query, result) in zip(queries, results) {
            let statements = query.split(separator: ";\n").map(String.init)
            let rows = try statements.flatMap { try PlainSQL(path: example.replica.path).rows($0) }
            let text = rows.map { $0.map { $0 ?? "" }.joined(separator: "|") + "\n" }.joined()
            #expect(text == result, "\(query)\n\(text)")
            if let printed = try await StoreFormatArticleTests.sqlite(example.replica.path, query) {
                #expect(printed == result, "\(query)\n\(printed)")
            }
        }
    }

    /// The sections on the store's own tables and columns match those of a real store, in both directions.
    @Test func theOwnTablesAreThoseOfAStore() throws {
        let example = try StoreFormatExample()
        let database = PlainSQL(path: example.replica.path)
        let tables = try database.rows(
            """
            SELECT name FROM sqlite_schema
            WHERE type IN ('table', 'view') AND name LIKE 'tributary\\_%' ESCAPE '\\' ORDER BY name
            """
        ).compactMap { $0[0] }
        let sections = try ["StoreTables", "MergeTables"].flatMap {
            try StoreFormatExample.article($0).sections(under: "The tables")
        }
        #expect(sections.map(\.heading).sorted() == tables.map { "`\($0)`" })
        for table in tables {
            let columns = try database.rows("SELECT name, type FROM pragma_table_info('\(table)') ORDER BY cid")
            let rows = sections.first { $0.heading == "`\(table)`" }?.rows.filter { $0.count == 3 } ?? []
            #expect(rows.map { $0[0] } == columns.map { "`\($0[0] ?? "")`" }, "\(table)")
            // SQLite does not know the types of a view's computed columns.
            for (row, column) in zip(rows, columns) where column[1] != "" {
                #expect(row[1] == column[1], "\(table).\(row[0])")
            }
        }
    }

    /// The columns of the model's tables that are not properties match those of a real store.
    @Test func theColumnsBesidePropertiesAreThoseOfAStore() throws {
        let example = try StoreFormatExample()
        let database = PlainSQL(path: example.replica.path)
        func columns(_ table: String) throws -> [String?] {
            try database.rows("SELECT name FROM pragma_table_xinfo('\(table)') ORDER BY cid").map { $0[0] }
        }
        let sections = try StoreFormatExample.article("StoreFormat").sections(under: "Tables of the model")
        let names = { (heading: String) in
            sections.first { $0.heading == heading }?.rows.compactMap { Article.code($0[0]) } ?? []
        }
        let entity = names("A table for each root entity")
        #expect(entity == ["_id", "_entity", "_revision", "_version", "_exceptions", "_date_NAME", "NAME"])
        let properties = ["_date_hired", "hired", "name", "salary", "visits", "department", "bonus"]
        #expect(try columns("Employee") == entity.dropLast(2) + properties)
        #expect(try columns("Department") == entity.dropLast(2).filter { $0 != "_entity" } + ["title"])
        let pairs = names("A table for each many-to-many relationship")
        #expect(pairs == ["_source", "_target", "_position", "_version"])
        #expect(try columns("Employee_projects") == pairs.filter { $0 != "_position" })
        #expect(try columns("Manager").starts(with: ["_id", "_entity", "_revision"]))
    }

    @Test func theNumbersAreThoseOfTheCode() throws {
        let example = try StoreFormatExample()
        let database = PlainSQL(path: example.replica.path)
        let text = try StoreFormatExample.article("StoreFormat").text
        let version = try #require(try database.value("PRAGMA user_version"))
        #expect(text.hasPrefix("# The store format, version \(version)\n"))
        let application = try #require(try database.value("PRAGMA application_id").flatMap { Int32($0) })
        #expect(text.contains("0x" + String(application, radix: 16)))
        #expect(try StoreFormatExample.article("StoreTables").text.contains("up to \(HistoryWriter.capacity) changes"))
    }

    /// Runs a query with the `sqlite3` command and returns its output; nil where the command does not exist.
    private static func sqlite(_ path: String, _ query: String) async throws -> String? {
        let places = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
        let command = places.map { "\($0)/sqlite3" }.first(where: FileManager.default.isExecutableFile)
        guard let command else { return nil }
        let folder = try TemporaryFolder("sqlite")
        let (output, errors) = (folder.path("output.txt"), folder.path("errors.txt"))
        let process = try ChildProcess(command, ["-readonly", "-list", path, query], output: output, errors: errors)
        let ending = await process.ending()
        let said = try String(contentsOfFile: errors, encoding: .utf8)
        #expect(ending == .exited(0), "\(said)")
        return try String(contentsOfFile: output, encoding: .utf8)
    }
}

/// The example of the articles on the store format: a real store with the article's model and transactions.
struct StoreFormatExample {
    let article: Article
    let replica: Replica

    init() throws {
        article = try Self.article("StoreExample")
        let yaml = try #require(article.block(after: "<!-- example: model -->"))
        replica = try Replica(Model(yaml: yaml))
        let text = try #require(article.block(after: "<!-- example: transactions -->"))
        for transaction in try StoreFormatExample.transactions(text) { try replica.apply(transaction) }
    }

    /// One of the articles on the store format.
    static func article(_ name: String) throws -> Article {
        try Article(path: "Sources/TributaryStore/TributaryStore.docc/\(name).md")
    }

    private static func transactions(_ text: String) throws -> [ForeignTransaction] {
        var found: [ForeignTransaction] = []
        for line in text.split(separator: "\n") {
            let value = try #require(JSONValue(text: String(line)))
            guard case .integer(let sequence)? = value["transaction"] else {
                found[found.count - 1].changes.append(try change(value))
                continue
            }
            guard case .string(let clock)? = value["clock"], case .integer(let count)? = value["changes"] else {
                throw StoreError.invalidChange(index: 0, reason: String(line))
            }
            var transaction = ForeignTransaction(0, UInt64(sequence), clock: 0)
            transaction.writer = try id(value["writer"])
            transaction.header.clock = try #require(HybridClock(clock))
            transaction.header.changeCount = Int(count)
            found.append(transaction)
        }
        return found
    }

    private static func change(_ value: JSONValue) throws -> Change {
        let verbs = ["insert", "update", "delete", "link"]
        let verb = try #require(verbs.first { value[$0] != nil })
        guard case .string(let entity)? = value[verb] else {
            throw StoreError.invalidChange(index: 0, reason: value.text)
        }
        var writes: [PropertyWrite] = []
        if case .object(let members)? = value["values"] {
            writes = members.map { PropertyWrite(name: $0.key, value: $0.value) }
        }
        let operation: Change.Operation
        switch (verb, value["to"], value["ids"]) {
        case ("insert", _, _): operation = .insert(writes)
        case ("update", _, _): operation = .update(writes)
        case ("link", .string(let name)?, .array(let ids)?):
            operation = .link(to: name, ids: try ids.map { try id($0) }, positions: nil)
        default: operation = .delete
        }
        return Change(entity: entity, id: try id(value["id"]), operation: operation)
    }

    private static func id(_ value: JSONValue?) throws -> UniqueID {
        guard case .string(let text)? = value, let id = UniqueID(text) else {
            throw StoreError.invalidChange(index: 0, reason: "no UUID")
        }
        return id
    }
}
