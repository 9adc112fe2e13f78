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
}
