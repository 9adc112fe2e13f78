import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges
import TributaryModel
import TributaryStore

/// Relationships of which a newer model has removed one side or both.
///
/// A store that had the removed side and one that never had it are in equal states, whichever side the links were
/// written from.
@Suite struct MigrationFormerSideTests {
    private static let kept = "  A: {attributes: {x: String?}}\n  B: {attributes: {y: String?}}"

    /// A many-to-many relationship and the other kinds, by the name of the side that keeps it.
    private static func both(_ own: String, _ other: String) -> String {
        "  A: {attributes: {x: String?}\(own.isEmpty ? "" : ", relationships: {\(own)}")}\n"
            + "  B: {attributes: {y: String?}\(other.isEmpty ? "" : ", relationships: {\(other)}")}"
    }

    private static let pairs = both("bs: {to: B, many: true, inverse: as}", "as: {to: A, many: true, inverse: bs}")
    private static let ordered = both(
        "bs: {to: B, many: true, ordered: true, inverse: as}",
        "as: {to: A, many: true, inverse: bs}"
    )

    /// Writes pairs from both sides that are linked, unlinked, superseded by a deletion, or not inserted yet.
    private func writePairs(_ story: MigrationStory) throws {
        try story.apply(.insert("A", 1), .insert("A", 2), .insert("B", 11), .insert("B", 12), .insert("B", 13))
        try story.apply(.link("A", 1, "bs", [11, 12]), .link("B", 13, "as", [1, 2]))
        try story.apply(.link("B", 11, "as", [2, 9]), .link("A", 2, "bs", [12, 19]))
        try story.apply(.unlink("B", 12, "as", [1]), .unlink("A", 2, "bs", [13]))
        try story.apply(.link("B", 12, "as", [2]), .delete("B", 12))
        try story.apply(.delete("A", 9), .unlink("B", 14, "as", [2]))
    }

    /// The removed side stores the relationship; the store is unchanged afterwards.
    @Test func `the side that stores a relationship is not removed alone`() throws {
        let cases = [
            (Self.pairs, Self.both("", "as: {to: A, many: true}"), "B.as", "A.bs"),
            (Self.ordered, Self.both("", "as: {to: A, many: true}"), "B.as", "A.bs"),
            (Self.oneToMany, Self.both("", "as: {to: A, many: true}"), "B.as", "A.b"),
            (Self.oneToOne, Self.both("", "a: {to: A?}"), "B.a", "A.b"),
        ]
        for (old, new, kept, removed) in cases {
            let story = try MigrationStory(old, new)
            try story.apply(.insert("A", 1, ["x": "a"]), .insert("B", 11))
            let before = try story.migrated.dump()
            let error = try #require(throws: MigrationError.self) { try story.migrate() }
            #expect(
                error.description == """
                    the store is at model version '1', and these differences to version '2' cannot be inferred:
                      \(kept), from the inverse of '\(removed)' to a relationship without '\(removed)': the removed side \
                    stores the objects of both; keep both sides, or remove both and add a relationship of another name \
                    that a custom stage fills
                    """
            )
            try story.migrated.reopen(story.old)
            #expect(try story.migrated.dump() == before)
        }
    }

    @Test func `pairs go on when the side that did not store them is removed`() throws {
        for old in [Self.pairs, Self.ordered] {
            let story = try MigrationStory(old, Self.both("bs: {to: B, many: true}", ""))
            try writePairs(story)
            try story.migrate()
            #expect(try story.rows("SELECT 1 FROM A_bs").count == 3)
            #expect(try story.written() == 0)
            try story.expectOneState()
            try story.apply(.link("B", 13, "as", [2]), .unlink("B", 11, "as", [1]))
            #expect(try story.rows("SELECT 1 FROM A_bs").count == 3)
            try story.expectOneState()
        }
    }

    @Test func `pairs are deferred in one way when both sides are removed, and come back`() throws {
        for old in [Self.pairs, Self.ordered] {
            let story = try MigrationStory(old, Self.kept)
            try writePairs(story)
            try story.migrateToOneState()
            try story.apply(.link("B", 13, "as", [2]), .unlink("B", 11, "as", [1]), .link("A", 1, "bs", [19]))
            try story.expectOneState()
            try story.reopen("\(old)\n  C: {attributes: {z: String?}}")
            #expect(try story.rows("SELECT 1 FROM A_bs").count == 3)
            try story.expectOneState()
        }
    }

    @Test(arguments: ["  A: {attributes: {x: String?}}", "  B: {attributes: {y: String?}}"])
    func `links are deferred in one way when an end is removed with them`(_ new: String) throws {
        for (old, write) in [(Self.pairs, writePairs), (Self.oneToMany, writeMembers), (Self.oneToOne, writePartners)] {
            let story = try MigrationStory(old, new)
            try write(story)
            try story.migrateToOneState()
        }
    }

    @Test func `pairs are told by the side that stores them, also where both go in one step`() throws {
        for isStepByStep in [true, false] {
            let story = try MigrationStory(Self.pairs, Self.both("bs: {to: B, many: true}", ""), Self.kept)
            try writePairs(story)
            if isStepByStep { try story.migrated.reopen(story.new.earlierVersions[1].succeeding([story.old])) }
            try story.apply(.link("B", 13, "as", [2]), .link("A", 2, "bs", [19]), .link("B", 14, "as", [1]))
            try story.migrate()
            try story.exchange()
            #expect(try story.migrated.dump() == story.fresh.dump(), "step by step: \(isStepByStep)")
        }
    }

    /// The version between removed the side that stores the pairs; a store that skips it is as one that never had either.
    @Test func `pairs are deferred under the side that was removed last`() throws {
        let story = try MigrationStory(Self.pairs, Self.both("", "as: {to: A, many: true}"), Self.kept)
        try writePairs(story)
        try story.apply(.link("B", 13, "as", [2]), .link("A", 2, "bs", [19]), .link("B", 14, "as", [1]))
        try story.migrate()
        try story.exchange()
        #expect(try story.migrated.dump() == story.fresh.dump())
    }

    /// A custom stage that gives the storing side another destination would leave the inverse empty.
    @Test func `a stage does not keep the inverse without the side that stores it`() throws {
        func text(_ tasks: String, _ owner: String) -> String {
            """
              Person: {attributes: {n: String?}, relationships: {tasks: {to: Task, many: true\(tasks)}}}
              Team: {attributes: {n: String?}}
              Task: {attributes: {t: String?}, relationships: {owner: {\(owner)}}}
            """
        }
        let story = try MigrationStory(text(", inverse: owner", "to: Person?, inverse: tasks"), text("", "to: Team?"))
        try story.apply(.insert("Person", 1), .insert("Task", 2, ["owner": .to(1)]))
        var settings = MigrationSettings()
        settings.stages = [CustomMigrationStage(from: "1", to: "2", willMigrate: { _ in }, didMigrate: { _ in })]
        let error = try #require(throws: MigrationError.self) {
            try story.migrated.reopen(story.new, migration: settings)
        }
        #expect(error.description.contains("Person.tasks, from the inverse of 'Task.owner'"), "\(error)")
    }

    private static let oneToMany = both("b: {to: B?, inverse: as}", "as: {to: A, many: true, inverse: b}")

    private func writeMembers(_ story: MigrationStory) throws {
        try story.apply(.insert("A", 1), .insert("A", 2, ["b": .to(11)]), .insert("A", 3, ["b": .to(19)]))
        try story.apply(.insert("B", 11), .insert("B", 12), .insert("B", 13), .link("B", 13, "as", [1, 8]))
        try story.apply(.link("B", 12, "as", [2]), .update("A", 3, ["b": nil]))
        try story.apply(.unlink("B", 12, "as", [2]), .link("B", 12, "as", [3]), .insert("A", 4), .delete("B", 13))
        try story.apply(.link("B", 11, "as", [4]), .delete("A", 4))
    }

    private static let oneToOne = both("b: {to: B?, inverse: a}", "a: {to: A?, inverse: b}")

    private func writePartners(_ story: MigrationStory) throws {
        try story.apply(.insert("A", 1, ["b": .to(11)]), .insert("A", 2), .insert("B", 11), .insert("B", 12))
        try story.apply(.insert("B", 13, ["a": .to(2), "y": "b"]), .insert("B", 14, ["a": nil, "y": "c"]))
        try story.apply(.update("B", 12, ["a": .to(1)]), .update("B", 15, ["a": .to(3)]))
        try story.apply(.update("A", 2, ["b": nil]), .delete("B", 11))
    }

    /// Relationships whose `A.b` stores them: what is written before and after the migration.
    private var targets: [(old: String, before: (MigrationStory) throws -> Void, after: [Change])] {
        [
            (
                Self.oneToMany, writeMembers,
                [.link("B", 11, "as", [1, 2]), .unlink("B", 12, "as", [3]), .update("A", 1, ["b": .to(12)])]
            ),
            (
                Self.oneToOne, writePartners,
                [.update("B", 14, ["a": .to(2)]), .insert("B", 16, ["a": .to(1)]), .insert("A", 3)]
            ),
        ]
    }

    @Test func `targets go on when the side that did not store them is removed`() throws {
        for (old, before, after) in targets {
            let story = try MigrationStory(old, Self.both("b: {to: B?}", ""))
            try before(story)
            try story.migrate()
            #expect(try story.rows("SELECT 1 FROM A WHERE b IS NOT NULL").count == 1)
            try story.expectOneState()
            try story.apply(Array(after.prefix(2)))
            #expect(try story.rows("SELECT 1 FROM A WHERE b IS NOT NULL").count == 2)
            try story.expectOneState()
        }
    }

    @Test func `targets are deferred in one way when both sides are removed, and come back`() throws {
        for (old, before, after) in targets {
            let story = try MigrationStory(old, Self.kept)
            try before(story)
            try story.migrateToOneState()
            try story.apply(after)
            try story.expectOneState()
            try story.reopen("\(old)\n  C: {attributes: {z: String?}}")
            #expect(try story.rows("SELECT 1 FROM A WHERE b IS NOT NULL").count == 2)
            try story.expectOneState()
        }
    }

    @Test func `pairs deferred before the relationship was known are read from the side that stores them`() throws {
        for (middle, write) in [
            (Self.pairs, writePairs), (Self.oneToMany, writeMembers), (Self.oneToOne, writePartners),
        ] {
            for new in [
                Self.kept + "\n  D: {attributes: {z: String?}}", "  A: {attributes: {x: String?}}",
                "  B: {attributes: {y: String?}}",
            ] {
                let story = try MigrationStory("  C: {attributes: {z: String?}}", middle, new)
                try write(story)
                try story.migrateToOneState()
                let known = try MigrationStory(Self.kept, middle, new)
                try write(known)
                try known.migrateToOneState()
            }
        }
    }
}
