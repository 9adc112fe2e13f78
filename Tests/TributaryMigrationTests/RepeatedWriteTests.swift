import StoreTestSupport
import Testing
import TributaryChanges
import TributaryModel
import TributaryStore

/// A transaction that writes twice to one property, pair or object, when the older model can represent only one write.
@Suite struct RepeatedWriteTests {
    private static let old = """
          P: {attributes: {x: String?, n: Integer 16?}, relationships: {rs: {to: R, many: true, inverse: ps}}}
          R: {attributes: {y: String?}, relationships: {ps: {to: P, many: true, inverse: rs}}}
        """
    private static let new = """
          P: {attributes: {x: String?, n: Integer 64?, z: String?}, \
        relationships: {rs: {to: R, many: true, inverse: ps}, friends: {to: P, many: true}}}
          Q: {parent: P, attributes: {q: String?}}
          R: {attributes: {y: String?}, relationships: {ps: {to: P, many: true, inverse: rs}}}
        """

    /// Applies the changes as one transaction to a store that is then upgraded, and to one with the newer model.
    private func upgraded(after before: [Change] = [], _ changes: Change...) throws -> MigrationStory {
        let story = try MigrationStory(Self.old, Self.new)
        for change in before { try story.apply(change) }
        try story.apply(changes)
        try story.migrate()
        try story.expectOneState()
        return story
    }

    @Test func `of a value out of range and a later one the later stands`() throws {
        let insert = Change.insert("P", 1, ["x": "a"])
        let story = try upgraded(after: [insert], .update("P", 1, ["n": 70_000]), .update("P", 1, ["n": 5]))
        #expect(try story.value("SELECT n FROM P") == "5")
        let other = try upgraded(after: [insert], .update("P", 1, ["n": 5]), .update("P", 1, ["n": 70_000]))
        #expect(try other.value("SELECT n FROM P") == "70000")
        _ = try upgraded(.insert("P", 1, ["n": 70_000]), .insert("P", 1, ["n": 6]))
    }

    @Test func `an insert as another entity is the later one's`() throws {
        let story = try upgraded(.insert("Q", 1, ["x": "a", "q": "b"]), .insert("P", 1, ["x": "c"]))
        #expect(try story.rows("SELECT x, q FROM P") == [["c", "b"]])
        #expect(try story.rows("SELECT count(*) FROM Q") == [["0"]])
        let other = try upgraded(.insert("P", 1, ["x": "c"]), .insert("Q", 1, ["x": "a"]))
        #expect(try other.rows("SELECT x FROM Q") == [["a"]])
    }

    /// The entity under which the link is written decides whether the older model can represent the link; it cannot
    /// represent the deletion.
    @Test func `an object that is deleted, inserted and linked keeps its link`() throws {
        let links: [Change] = [.link("Q", 1, "rs", [9]), .link("P", 1, "rs", [9]), .link("R", 9, "ps", [1])]
        for before in [[], [Change.insert("Q", 1)], [.insert("P", 1)]] {
            for link in links {
                let story = try upgraded(
                    after: [.insert("R", 9)] + before,
                    .delete("Q", 1),
                    .insert("Q", 1, ["q": "b"]),
                    link,
                    .link("Q", 1, "friends", [1])
                )
                #expect(try story.rows("SELECT count(*) FROM P_rs") == [["1"]])
                #expect(try story.rows("SELECT count(*) FROM P_friends") == [["1"]])
            }
        }
    }

    @Test func `a deletion between two touches parts them`() throws {
        let insert = Change.insert("P", 1, ["x": "a", "n": 1])
        let gone = try upgraded(after: [insert], .update("Q", 1, ["x": "b"]), .delete("P", 1))
        #expect(try gone.rows("SELECT count(*) FROM P") == [["0"]])
        let back = try upgraded(after: [insert], .delete("Q", 1), .insert("P", 1, ["x": "b"]))
        #expect(try back.rows("SELECT x, n FROM P") == [["b", nil]])
        let linked = try upgraded(
            after: [insert, .insert("R", 9)],
            .link("Q", 1, "rs", [9]),
            .delete("P", 1),
            .insert("P", 1, ["z": "c"])
        )
        #expect(try linked.rows("SELECT count(*) FROM P_rs") == [["0"]])
    }

    @Test func `of a link and an unlink the later stands`() throws {
        let before: [Change] = [.insert("P", 1), .insert("R", 9)]
        let unlinked = try upgraded(after: before, .link("Q", 1, "rs", [9]), .unlink("P", 1, "rs", [9]))
        #expect(try unlinked.rows("SELECT count(*) FROM P_rs") == [["0"]])
        let linked = try upgraded(after: before, .unlink("Q", 1, "rs", [9]), .link("R", 9, "ps", [1]))
        #expect(try linked.rows("SELECT count(*) FROM P_rs") == [["1"]])
    }

    @Test func `of two one-to-one owners in one transaction the later stands`() throws {
        let text = """
              A: {relationships: {desk: {to: D?, inverse: owner}}}
              D: {relationships: {owner: {to: A?, inverse: desk}}}
            """
        for slice in [1, 2, 3, Int.max] {
            for (first, second) in [(1, 2), (2, 1)] {
                let replica = try Replica(try Model(yaml: "version: \"1\"\nentities:\n" + text))
                let changes: [Change] = [
                    .insert("A", 1), .insert("A", 2), .insert("D", 9),
                    .update("A", first, ["desk": .to(9)]), .update("D", 9, ["owner": .to(second)]),
                ]
                try replica.apply(ForeignTransaction(1, 1, clock: 1, changes), slice: slice)
                #expect(try replica.values("D", .sample(9))?["owner"] == .reference(.sample(second)))
            }
        }
    }
}
