import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges
import TributaryModel
import TributaryStore

/// A sub-entity is removed while the root of its hierarchy remains: its objects belong to the root entity.
@Suite struct MigrationHierarchyTests {
    private static let root = """
          P: {attributes: {x: String?, c: {type: Integer 64, optional: true, merge: counter}}, relationships: {\
        friend: {to: P?}, rs: {to: R, many: true, inverse: ps}, room: {to: R?, inverse: guest}}}
          R: {attributes: {y: String?}, relationships: {\
        ps: {to: P, many: true, inverse: rs}, guest: {to: P?, inverse: room}, first: {to: P?}}}
        """
    private static let old = root + "\n  Q: {parent: P, attributes: {z: String?}}\n  S: {parent: P}"
    private static let new = root + "\n  S: {parent: P}"

    private func write(_ story: MigrationStory) throws {
        try story.apply(.insert("R", 11, ["first": .to(1)]), .insert("R", 12, ["first": .to(3)]), .insert("R", 13))
        try story.apply(
            .insert("Q", 1, ["x": "a", "z": "b", "c": 5, "room": .to(11)]),
            .insert("P", 2),
            .insert("S", 3)
        )
        try story.apply(.insert("Q", 4, ["x": "d", "friend": .to(1)]), .insert("Q", 5, ["x": "e"]), .insert("Q", 6))
        try story.apply(.link("R", 11, "ps", [1, 2]), .link("Q", 4, "rs", [12]), .link("S", 3, "rs", [11]))
        try story.apply(.update("P", 1, ["x": "aa"]), .update("P", 2, ["friend": .to(4)]), .delete("Q", 5))
        try story.apply(
            .update("Q", 4, ["z": "dd", "c": .increment(2)]),
            .delete("P", 6),
            .update("R", 13, ["guest": .to(4)])
        )
        try story.apply(.update("Q", 7, ["x": "later", "z": "too"]))
        try story.apply(.insert("Q", 8, ["x": "f", "z": "g"]))
        try story.apply(.delete("Q", 8))
        try story.apply(.update("P", 2, ["room": .to(11)]), .update("S", 3, ["room": .to(13)]))
        try story.apply(.update("Q", 4, ["room": .to(13)]))
    }

    @Test func `references to its objects show nothing`() throws {
        let story = try MigrationStory(Self.old, Self.new)
        try write(story)
        try story.migrate()
        #expect(try story.written() == 0)
        #expect(try story.rows("SELECT count(*) FROM P") == [["2"]])
        #expect(try story.rows("SELECT first IS NULL FROM R ORDER BY _id") == [["1"], ["0"], ["1"]])
        #expect(try story.rows("SELECT friend FROM P WHERE friend IS NOT NULL").isEmpty)
        #expect(try story.rows("SELECT count(*) FROM P_rs") == [["2"]])
        #expect(try story.rows("SELECT count(*) FROM P WHERE room IS NOT NULL") == [["2"]])
        #expect(try story.rows("SELECT count(*) FROM R WHERE guest IS NOT NULL") == [["2"]])
        try story.expectOneState()
    }

    @Test func `older writers go on with its objects, under either name, and they come back`() throws {
        let story = try MigrationStory(Self.old, Self.new)
        try write(story)
        try story.migrate()
        try story.apply(.update("P", 4, ["x": "ddd"]), .update("Q", 4, ["z": "ddd"]), .insert("Q", 7, ["c": 3]))
        try story.apply(.delete("Q", 1), .insert("Q", 9, ["x": "h", "z": "i"]))
        try story.apply(.delete("P", 9))
        try story.apply(.link("Q", 4, "rs", [11]), .unlink("Q", 4, "rs", [12]), .insert("Q", 5, ["z": "again"]))
        try story.expectOneState()
        try story.reopen("\(Self.old)\n  C: {attributes: {w: String?}}")
        #expect(
            try story.rows("SELECT x, z, c FROM Q ORDER BY _id") == [
                ["ddd", "ddd", "2"], [nil, "again", nil], ["later", "too", "3"],
            ]
        )
        try story.expectOneState()
    }

    @Test func `writes that a store deferred before it knew the sub-entity are the root's`() throws {
        let story = try MigrationStory(Self.root, Self.old, Self.new)
        try write(story)
        try story.migrateToOneState()
    }

    @Test func `the root goes later, and all is told under its name`() throws {
        let story = try MigrationStory(Self.old, Self.new, "  R: {attributes: {y: String?}}")
        try write(story)
        try story.apply(.update("P", 4, ["x": "ddd"]), .delete("Q", 1))
        try story.migrateToOneState()
    }
}
