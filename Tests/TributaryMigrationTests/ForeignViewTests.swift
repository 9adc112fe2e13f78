import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges
import TributaryModel
import TributaryStore

/// Views of other programs in the store's file survive a change of the model.
@Suite struct ForeignViewTests {
    private static let before =
        "  A: {attributes: {x: String?, y: String?}}\n  S: {parent: A, attributes: {s: String?}}"
    private static let added = before + "\n  B: {attributes: {z: String?}}"
    private static let renamed = """
          N: {renamed_from: A, attributes: {x: String?, w: {type: String, optional: true, renamed_from: y}}}
          S: {parent: N, attributes: {s: String?}}
        """

    private static func schema(_ replica: Replica) throws -> [[String?]] {
        let names = "('mine', 'other', 'mine_insert')"
        return try PlainSQL(path: replica.path).rows(
            "SELECT name, sql FROM sqlite_schema WHERE name IN \(names) ORDER BY 1"
        )
    }

    @Test(arguments: [added, renamed]) func `a view survives with its trigger`(_ after: String) throws {
        let story = try MigrationStory(Self.before, after)
        try story.apply(.insert("A", 1, ["x": "one", "y": "two"]))
        let plain = PlainSQL(path: story.migrated.path)
        try plain.execute(
            """
            CREATE VIEW mine AS SELECT x FROM A; CREATE VIEW other AS SELECT * FROM mine;
            CREATE TRIGGER mine_insert INSTEAD OF INSERT ON mine BEGIN SELECT 1; SELECT 2; END;
            """
        )
        let schema = try Self.schema(story.migrated)
        #expect(schema.count == 3)
        try story.migrate()
        #expect(try Self.schema(story.migrated) == schema)
        if after == Self.added {
            #expect(try plain.rows("SELECT * FROM other") == [["one"]])
        } else {
            #expect(throws: PlainSQL.Failure.self) { try plain.rows("SELECT * FROM other") }
        }
        try story.migrated.reopen(story.new)
        #expect(try Self.schema(story.migrated) == schema)
        try story.expectOneState()
    }

    @Test func `a view with the name of a new entity stops the migration, and is still there`() throws {
        let replica = try Replica(try Model(yaml: "version: \"1\"\nentities:\n" + Self.before))
        let newer = try Model(yaml: "version: \"2\"\nentities:\n" + Self.added)
        let plain = PlainSQL(path: replica.path)
        try plain.execute("CREATE VIEW b AS SELECT x FROM A")
        let error = #expect(throws: StoreError.self) { try replica.reopen(newer) }
        #expect(error.map { "\($0)".contains("'b'") } == true, "\(String(describing: error))")
        #expect(try plain.rows("SELECT * FROM b").isEmpty)
        try plain.execute("DROP VIEW b")
        try replica.reopen(newer)
        #expect(try plain.rows("SELECT * FROM B").isEmpty)
    }
}
