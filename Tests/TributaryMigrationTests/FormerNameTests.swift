import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges
import TributaryModel
import TributaryStore

/// Changes that name properties as in an older version of the model.
@Suite struct FormerNameTests {
    private static let old = "  Note: {attributes: {title: String?, count: Integer 32?}}"
    private static let new = """
          Note:
            attributes: {headline: {type: String, optional: true, renamed_from: title}, count: Integer 32?}
        """

    @Test func `two names of one column leave no value of the row before in another column`() throws {
        let story = try MigrationStory(Self.old, Self.new)
        try story.migrate()
        try story.migrated.apply(
            ForeignTransaction(
                1,
                1,
                clock: 1,
                .insert("Note", 1, ["headline": "a", "count": 5]),
                .insert("Note", 2, ["title": "x", "headline": "y"])
            )
        )
        #expect(try story.migrated.values("Note", .sample(2)) == ["headline": .string("y"), "count": .null])
    }

    @Test func `history names properties as the present model does`() throws {
        let story = try MigrationStory(Self.old, Self.new)
        try story.migrate()
        try story.migrated.apply(ForeignTransaction(1, 1, clock: 1, .insert("Note", 1, ["title": "a", "count": 1])))
        try story.migrated.apply(ForeignTransaction(1, 2, clock: 2, .update("Note", 1, ["title": "b"])))
        let history = try story.migrated.store.read { try $0.history.transactions(after: 0, limit: 10) }
        #expect(history.last?.changes.map(\.properties) == [["headline"]])
    }

    @Test(arguments: [
        ("type: String, optional: true", JSONValue.string("a")), ("type: Integer 64, optional: true, merge: max", 5),
        ("type: Integer 64, default: 0, merge: counter", .increment(2)),
    ])
    func `the renaming identifier of a removed property is its former name`(_ type: String, _ value: JSONValue) throws {
        let without = "  P: {attributes: {x: String?}}"
        let story = try MigrationStory(
            "  P: {attributes: {x: String?, b: {\(type), renamed_from: b0}}}",
            without,
            without + "\n  R: {attributes: {y: String?}}"
        )
        try story.apply(.insert("P", 1, ["x": "a"]))
        try story.apply(.update("P", 1, ["b0": value]))
        try story.migrateToOneState()
    }

    @Test func `the renaming identifier of a removed entity is its former name`() throws {
        let none = "  A: {attributes: {x: String?}}"
        let story = try MigrationStory(none + "\n  Q: {renamed_from: Q0, attributes: {y: String?}}", none)
        try story.apply(.insert("Q0", 1, ["y": "a"]), .insert("Q0", 2))
        try story.apply(.update("Q", 1, ["y": "b"]), .delete("Q0", 2))
        try story.migrateToOneState()
    }

    /// The oldest version is not in the model's file any more.
    @Test func `the first of three names of an entity and a property is known`() throws {
        let story = try MigrationStory(
            "  Q: {renamed_from: P, attributes: {b: {type: String, optional: true, renamed_from: a}}}",
            "  R: {renamed_from: Q, attributes: {c: {type: String, optional: true, renamed_from: b}}}"
        )
        try story.apply(.insert("P", 1, ["a": "1"]))
        try story.migrateToOneState()
        #expect(try story.rows("SELECT c FROM R") == [["1"]])
    }

    /// The second version has another property whose name is the renaming identifier in the first version.
    @Test func `a name of a removed property precedes a renaming identifier of an older version`() throws {
        let story = try MigrationStory(
            "  P: {attributes: {b: {type: String, optional: true, renamed_from: b0}}}",
            "  P: {attributes: {b: String?, b0: {type: String, optional: true, renamed_from: other}}}",
            "  P: {attributes: {b: String?}}"
        )
        try story.migrated.reopen(story.new.earlierVersions[1].succeeding([story.old]))
        try story.apply(.insert("P", 1, ["b": "1", "b0": "2"]))
        try story.migrateToOneState()
        #expect(try story.rows("SELECT b FROM P") == [["1"]])
    }
}
