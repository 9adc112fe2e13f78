import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges
import TributaryModel
import TributaryStore

/// A newer version has constraints that the objects violate: nothing is migrated, and the error names the objects.
@Suite struct MigrationCheckTests {
    private func violations(_ story: MigrationStory) throws -> [MigrationViolation] {
        let reason = try #require(throws: MigrationError.self) { try story.migrate() }
        guard case .violated(let from, let to, let found) = reason else { throw reason }
        #expect(from == "1" && to == "2")
        return found
    }

    private static func model(_ rest: String) -> String {
        "  A: {attributes: {x: String?, n: Integer 64?, z: {type: String, optional: true, renamed_from: y}}\(rest)}"
    }

    private static let old = "  A: {attributes: {x: String?, n: Integer 64?, y: String?}}"

    @Test func `objects with one key are named, and the store stays at the old version`() throws {
        let story = try MigrationStory(Self.old, Self.model(", unique: [[x, n]]"))
        try story.apply(.insert("A", 1, ["x": "a", "n": 1]), .insert("A", 2, ["x": "a", "n": 1, "y": "two"]))
        try story.apply(.insert("A", 3, ["x": "a", "n": 2]), .insert("A", 4, ["x": "a"]), .insert("A", 5, ["x": "a"]))
        for number in 11...17 { try story.apply(.insert("A", number, ["x": "b", "n": 3])) }
        let found = try violations(story).sorted { $0.count < $1.count }
        try #require(found.count == 2)
        #expect(found[0].rule == .unique && found[0].entity == "A" && found[0].properties == ["x", "n"])
        #expect(found[0].values == ["\"a\"", "1"] && found[0].count == 2)
        #expect(found[0].ids.map(\.uniqueID) == [.sample(1), .sample(2)])
        #expect(found[1].count == 7 && found[1].ids.count == 5)
        let text = MigrationError.violated(from: "1", to: "2", found).description
        #expect(text.contains("A.(x, n) is to be unique, and 2 objects have \"a\", 1: \(UniqueID.sample(1))"))
        #expect(text.contains("7 objects") && text.contains("…"))
        // The failed migration leaves no trace: the old version opens, and the new one does once the objects differ.
        try story.migrated.reopen(story.old)
        #expect(try story.rows("SELECT y FROM A WHERE y IS NOT NULL") == [["two"]])
        #expect(try story.rows("SELECT version FROM tributary_model") == [["1"]])
        try story.apply(.update("A", 2, ["n": 9]))
        for number in 12...17 { try story.apply(.delete("A", number)) }
        try story.migrate()
        #expect(try story.rows("SELECT z FROM A WHERE z IS NOT NULL") == [["two"]])
        try story.expectOneState()
    }

    @Test func `a key that the older version had is not looked at again`() throws {
        let story = try MigrationStory(
            "  A: {attributes: {x: String?, y: String?}, unique: [y]}",
            Self.model(", unique: [z]")
        )
        // Each of two other machines has given the key to one of its objects.
        try story.apply(.insert("A", 1, ["y": "a"]))
        try story.apply(.insert("A", 2, ["y": "a"]))
        #expect(try story.rows("SELECT count(*) FROM tributary_shadow_key") == [["1"]])
        let changes = "SELECT transaction_number, kind, hex(object) FROM tributary_change ORDER BY 1, 2, 3"
        let before = try story.rows(changes)
        try story.migrate()
        #expect(try story.rows(changes) == before, "nothing has changed for readers")
        // The younger object is a shadow in both versions.
        #expect(try story.rows("SELECT z FROM A") == [["a"]])
        #expect(try story.rows("SELECT count(*) FROM tributary_shadow_key") == [["1"]])
        try story.expectOneState()
    }

    @Test func `a shadow that a migration shows is announced`() throws {
        let story = try MigrationStory(
            "  A: {attributes: {y: String?}, unique: [y]}",
            "  A: {attributes: {y: String?}}"
        )
        try story.apply(.insert("A", 1, ["y": "a"]))
        try story.apply(.insert("A", 2, ["y": "a"]))
        let number = try #require(try story.value("SELECT max(number) FROM tributary_transaction"))
        try story.migrate()
        let query = "SELECT kind, hex(object) FROM tributary_change WHERE transaction_number > \(number)"
        #expect(try story.rows(query).map { $0[0] } == ["insert"])
        #expect(try story.rows("SELECT count(*) FROM A") == [["2"]])
        try story.expectOneState()
    }

    @Test func `a key of a parent is looked for in all of the hierarchy, once`() throws {
        func model(_ unique: String) -> String {
            "  P: {attributes: {x: String?}\(unique)}\n  A: {parent: P}\n  B: {parent: P}"
        }
        let story = try MigrationStory(model(""), model(", unique: [x]"))
        try story.apply(.insert("A", 1, ["x": "a"]), .insert("B", 2, ["x": "a"]), .insert("P", 3, ["x": "b"]))
        let found = try violations(story)
        #expect(found.map(\.entity) == ["P"])
        #expect(found.first?.ids.map(\.entity) == ["A", "B"])
    }

    @Test func `a key of a sub-entity does not look at the others`() throws {
        func model(_ unique: String) -> String {
            "  P: {attributes: {x: String?}}\n  A: {parent: P\(unique)}\n  B: {parent: P}"
        }
        let story = try MigrationStory(model(""), model(", unique: [x]"))
        try story.apply(.insert("A", 1, ["x": "a"]), .insert("B", 2, ["x": "a"]), .insert("B", 3, ["x": "a"]))
        try story.migrate()
        #expect(try story.rows("SELECT count(*) FROM P") == [["3"]])
    }

    @Test func `an added attribute with a default cannot be a key of several objects`() throws {
        let story = try MigrationStory(
            "  A: {attributes: {x: String?}}",
            "  A: {attributes: {x: String?, code: {type: Integer 64, default: 7}}, unique: [code]}"
        )
        try story.apply(.insert("A", 1), .insert("A", 2))
        #expect(try violations(story).map(\.values) == [["7"]])
    }

    /// Migrates with a stage that sets `x` of the second object.
    private func migrate(_ story: MigrationStory, setting key: JSONValue) throws {
        var settings = MigrationSettings()
        settings.stages = [
            CustomMigrationStage(
                from: "1",
                to: "2",
                willMigrate: { _ in },
                didMigrate: { try $0.add(.update("A", 2, ["x": key])) }
            )
        ]
        try story.migrated.reopen(story.new, migration: settings)
    }

    @Test func `a stage of one's own can make the keys differ`() throws {
        let story = try MigrationStory(Self.old, Self.model(", unique: [x]"))
        try story.apply(.insert("A", 1, ["x": "a"]), .insert("A", 2, ["x": "a"]))
        try migrate(story, setting: "b")
        #expect(try story.rows("SELECT x FROM A ORDER BY x") == [["a"], ["b"]])
        try story.expectOneState()
    }

    @Test func `an object that a stage gives the key of another one is a shadow after the last step`() throws {
        let story = try MigrationStory(
            "  A: {attributes: {x: String?, n: {type: Integer 64, optional: true}}, unique: [x]}",
            "  A: {attributes: {x: String?, y: String?, n: {type: Integer 64, optional: true}}, unique: [x]}",
            "  A: {attributes: {x: String?, y: String?, m: {type: Integer 64, optional: true, renamed_from: n}}, unique: [x]}"
        )
        try story.apply(.insert("A", 1, ["x": "a"]))
        try story.apply(.insert("A", 2, ["x": "b", "n": 7]))
        try migrate(story, setting: "a")
        #expect(try story.rows("SELECT x, m FROM A") == [["a", nil]])
        try story.expectOneState()
        try story.migrated.commit(.update("A", 1, ["x": "c"]))
        #expect(try story.rows("SELECT x, m FROM A ORDER BY x") == [["a", "7"], ["c", nil]])
        try story.expectOneState()
    }

    private static func relation(_ own: String, _ other: String) -> String {
        "  A: {attributes: {x: String?}, relationships: {b: {to: \(own)}}}\n"
            + "  B: {attributes: {y: String?}, relationships: {a: {to: \(other)}}}"
    }

    @Test func `a to-one relationship becomes mandatory only where each object has one`() throws {
        let (one, many) = ("B?, inverse: a", "A, many: true, optional: true, inverse: b")
        let story = try MigrationStory(Self.relation(one, many), Self.relation("B, inverse: a", many))
        try story.apply(.insert("B", 11), .insert("A", 1, ["b": .to(11)]), .insert("A", 2), .insert("A", 3))
        // The target is known and will be inserted later.
        try story.apply(.update("A", 3, ["b": .to(19)]))
        let found = try violations(story)
        #expect(found.map(\.rule) == [.mandatory] && found.map(\.properties) == [["b"]])
        #expect(found.first?.ids.map(\.uniqueID) == [.sample(2)])
        #expect(found.first?.description.contains("A.b is to be mandatory, and 1 object has none") == true)
        try story.migrated.reopen(story.old)
        try story.apply(.update("A", 2, ["b": .to(11)]))
        try story.migrateToOneState()
    }

    @Test(arguments: [
        ("B, inverse: a", "A, many: true, optional: true, inverse: b"),
        ("B, many: true, optional: true, inverse: a", "A, many: true, optional: true, inverse: b"),
        ("B?, inverse: a", "A?, inverse: b"),
    ])
    func `a relationship of any kind becomes mandatory only where each object has one`(
        own: String,
        other: String
    ) throws {
        let mandatory = other.replacing("A?", with: "A")
            .replacing("optional: true", with: "optional: false, min: 1")
        let story = try MigrationStory(Self.relation(own, other), Self.relation(own, mandatory))
        try story.apply(.insert("A", 1), .insert("B", 11), .insert("B", 12))
        if own.contains("many") {
            try story.apply(.link("A", 1, "b", [11]))
        } else {
            try story.apply(.update("A", 1, ["b": .to(11)]))
        }
        let found = try violations(story)
        #expect(found.map(\.properties) == [["a"]] && found.first?.ids.map(\.uniqueID) == [.sample(12)])
        try story.migrated.reopen(story.old)
        try story.apply(.delete("B", 12))
        try story.migrateToOneState()
    }
    @Test func aToManyRelationshipWithoutAMinimumMayStayEmptyWhenItBecomesMandatory() throws {
        let optional = "A, many: true, optional: true, inverse: b"
        let mandatory = optional.replacing("true, inverse", with: "false, inverse")
        let story = try MigrationStory(
            Self.relation("B?, inverse: a", optional),
            Self.relation("B?, inverse: a", mandatory)
        )
        try story.apply(.insert("A", 1), .insert("B", 11))
        try story.migrateToOneState()
    }
}
