import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges
import TributaryModel
import TributaryStore

/// Names that are equal in Swift and differ only in their Unicode normal form are two names to a store.
///
/// JSON and SQLite also treat them as two names.
@Suite struct NormalFormNameTests {
    private static let composed = "caf\u{E9}"
    private static let decomposed = "cafe\u{301}"
    private static let model = "  P: {attributes: {caf\u{E9}: String?}}"

    @Test func `a property is not written under another spelling, whichever came first`() throws {
        let transactions = [
            ForeignTransaction(1, 1, clock: 1, .insert("P", 1), .update("P", 1, [Self.composed: "a"])),
            ForeignTransaction(2, 1, clock: 2, .update("P", 1, [Self.decomposed: "b"])),
        ]
        let model = try Model(yaml: "version: \"1\"\nentities:\n" + Self.model)
        let (first, second) = (try Replica(model), try Replica(model))
        try first.apply(together: transactions)
        try second.apply(together: transactions.reversed())
        for replica in [first, second] {
            let rows = try PlainSQL(path: replica.path).rows("SELECT \"\(Self.composed)\" FROM P")
            #expect(rows == [["a"]])
            #expect(try replica.store.read { try $0.deferrals.counts() }.values == 1)
        }
        #expect(try first.dump() == second.dump())
    }

    @Test func `both spellings in a deferred change are kept`() throws {
        let story = try MigrationStory(
            "  A: {attributes: {x: String?}}",
            "  A: {attributes: {x: String?}}\n" + Self.model
        )
        try story.apply(.insert("P", 1, [Self.composed: "a", Self.decomposed: "b"]))
        try story.migrate()
        #expect(try story.rows("SELECT \"\(Self.composed)\" FROM P") == [["a"]])
        try story.expectOneState()
    }

    @Test func `a model with both spellings is refused`() throws {
        for text in [
            "  P: {attributes: {\(Self.composed): String?, \(Self.decomposed): String?}}",
            "  \(Self.composed): {attributes: {x: String?}}\n  \(Self.decomposed): {attributes: {x: String?}}",
            "  P: {attributes: {\(Self.composed): String?}}\n  Q: {parent: P, attributes: {\(Self.decomposed): String?}}",
            """
              P: {attributes: {\(Self.composed): String?}}
              Q: {parent: P, attributes: {a: String?}}
              R: {parent: Q, attributes: {\(Self.decomposed): String?}}
            """,
        ] {
            #expect(throws: (any Error).self) { try Model(yaml: "version: \"1\"\nentities:\n" + text) }
        }
    }

    @Test func `a former name is not another spelling of it`() throws {
        let story = try MigrationStory(
            "  P: {attributes: {\(Self.composed): String?}}",
            "  P: {attributes: {tea: {type: String, optional: true, renamed_from: \(Self.composed)}}}"
        )
        try story.apply(.insert("P", 1))
        try story.migrate()
        try story.apply(.update("P", 1, [Self.composed: "a"]))
        try story.apply(.update("P", 1, [Self.decomposed: "b"]))
        #expect(try story.rows("SELECT tea FROM P") == [["a"]])
        #expect(try story.migrated.store.read { try $0.deferrals.counts() }.values == 1)
        try story.expectOneState()
    }

    private static func menu(_ name: String) -> String {
        "  P: {attributes: {\(name): String?}}\n  \(name): {relationships: {p: {to: P?}}}"
    }

    @Test func `a name that changes its normal form keeps values and what comes under the old one`() throws {
        let story = try MigrationStory(Self.menu(Self.decomposed), Self.menu(Self.composed))
        try story.apply(.insert("P", 1, [Self.decomposed: "a"]), .insert("P", 2), .insert(Self.decomposed, 3))
        try story.migrate()
        try story.apply(.update("P", 2, [Self.decomposed: "b"]), .update(Self.decomposed, 3, ["p": .to(1)]))
        #expect(try story.rows("SELECT \"\(Self.composed)\" FROM P ORDER BY 1") == [["a"], ["b"]])
        let query = "SELECT P.\"\(Self.composed)\" FROM \"\(Self.composed)\" c JOIN P ON c.p = P._id"
        #expect(try story.rows(query) == [["a"]])
        try story.expectOneState()
    }
}
