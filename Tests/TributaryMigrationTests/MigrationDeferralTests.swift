import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges
import TributaryModel
import TributaryStore

/// A store that had a property which the newer model lacks, and one that never had it, defer equal values.
@Suite struct MigrationDeferralTests {
    private static func attribute(_ type: String, _ rule: String = "latest") -> String {
        "  A: {attributes: {x: String?, n: {type: \(type), optional: true, merge: \(rule)}}}"
    }

    private static let none = "  A: {attributes: {x: String?}}"

    // MARK: Entities

    @Test func `a deletion makes void what an earlier transaction wrote at the same place`() throws {
        let story = try MigrationStory(Self.none + "\n  B: {attributes: {y: String?}}", Self.none)
        try story.apply(.insert("B", 1, ["y": "one"]))
        try story.apply(.insert("B", 2, ["y": "two"]))
        try story.apply(.delete("B", 1))
        try story.migrate()
        let dump = try story.fresh.dump()
        #expect(!dump.contains("one") && dump.contains("two"))
        try story.expectOneState()
    }

    @Test func `a deletion makes void nothing of its own transaction`() throws {
        let story = try MigrationStory(Self.none + "\n  B: {attributes: {y: String?}}", Self.none)
        try story.apply(.insert("B", 1, ["y": "one"]), .insert("B", 2, ["y": "two"]))
        try story.apply(.delete("B", 1), .delete("B", 2), .insert("B", 1, ["y": "three"]))
        try story.migrate()
        let dump = try story.fresh.dump()
        #expect(!dump.contains("one") && !dump.contains("two") && dump.contains("three"))
        try story.expectOneState()
    }

    @Test func `a hierarchy goes, and its objects are told under the name of its root`() throws {
        let story = try MigrationStory(
            Self.none + "\n  P: {attributes: {y: String?}}\n  Q: {parent: P, attributes: {z: String?}}",
            Self.none
        )
        try story.apply(.insert("Q", 1, ["y": "a", "z": "b"]), .insert("P", 2, ["y": "c"]), .insert("Q", 3))
        try story.apply(.update("P", 1, ["y": "d"]), .delete("P", 3))
        try story.migrateToOneState()
    }

    /// Seed 972513088, round 30: the links of the second relationship replaced those of the first.
    @Test func `links of one transaction are kept when their relationships go one after the other`() throws {
        func model(_ names: String...) -> String {
            func side(_ name: String) -> String { "\(name): {to: \(name.uppercased()), many: true, inverse: back}" }
            let relationships = names.map(side).joined(separator: ", ")
            return "  A: {attributes: {x: String?}, relationships: {\(relationships)}}"
                + names.map {
                    "\n  \($0.uppercased()): {attributes: {y: String?}, relationships: "
                        + "{back: {to: A, many: true, inverse: \($0)}}}"
                }
                .joined()
        }
        let story = try MigrationStory(model("p", "q"), model("q"), Self.none)
        try story.apply(.insert("A", 1), .insert("P", 11), .insert("Q", 12), .link("A", 1, "p", [11]))
        try story.apply(.link("A", 1, "p", [13]), .link("A", 1, "q", [12]), .unlink("A", 1, "q", [14]))
        try story.migrated.reopen(story.new.earlierVersions[1].succeeding([story.old]))
        try story.migrate()
        #expect(try story.migrated.dump().contains("\"p\" \(UniqueID.sample(13)) linked"))
        try story.expectOneState()
    }

    @Test func `a property of a subentity that was written to an object of the parent is told under the subentity`()
        throws
    {
        func model(_ attributes: String, _ relationships: (String, String)) -> String {
            """
              P: {attributes: {x: String?}}
              Q: {parent: P, attributes: {\(attributes)z: String?}\(relationships.0)}
              R: {attributes: {y: String?}\(relationships.1)}
            """
        }
        let counter = "c: {type: Integer 64, default: 0, merge: counter}"
        let story = try MigrationStory(
            model(
                "q: String?, \(counter), ",
                (
                    ", relationships: {rs: {to: R, many: true, inverse: qs}}",
                    ", relationships: {qs: {to: Q, many: true, inverse: rs}}"
                )
            ),
            model("", ("", ""))
        )
        try story.apply(.insert("P", 1, ["x": "a"]), .insert("R", 11))
        try story.apply(.update("Q", 1, ["q": "b", "c": .increment(5)]), .link("Q", 1, "rs", [11]))
        try story.migrateToOneState()
        #expect(try story.rows("SELECT DISTINCT entity FROM tributary_parked") == [["Q"]])
    }

    @Test func `positions of an unordered relationship are not told, whatever a producer wrote`() throws {
        func model(_ order: String) -> String {
            """
              A: {attributes: {x: String?}, relationships: {bs: {to: B, many: true, inverse: as}}}
              B: {attributes: {x: String?}, relationships: {as: {to: A, many: true, inverse: bs\(order)}}}
            """
        }
        for order in ["", ", ordered: true"] {
            let story = try MigrationStory(model(order), Self.none)
            try story.apply(
                .insert("A", 1),
                .insert("B", 2),
                .insert("B", 3),
                .link("A", 1, "bs", [2, 3], at: ["b", "a"])
            )
            try story.migrateToOneState()
        }
    }

    // MARK: Types

    @Test func `a number that had a wider type when it was removed is the number that was written`() throws {
        for type in ["Integer 32", "Integer 64", "Decimal", "Double", "Float"] {
            let story = try MigrationStory(Self.attribute("Integer 16"), Self.attribute(type), Self.none)
            try story.apply(.insert("A", 1, ["n": 43]), .insert("A", 2, ["n": nil]), .update("A", 3, ["n": 7]))
            let middle = story.new.earlierVersions[1].succeeding([story.old])
            try story.migrated.reopen(middle)
            #expect(try story.rows("SELECT n IS NULL FROM A ORDER BY 1") == [["0"], ["1"]], "\(type)")
            if type == "Decimal" { try story.apply(.update("A", 2, ["n": "5.50"])) }
            try story.apply(.update("A", 2, ["x": "b"]))
            try story.migrateToOneState()
        }
    }

    @Test func `a value has one form however it was spelled`() throws {
        let values: [(String, JSONValue)] = [
            ("Decimal", "+01.50"), ("Decimal", 3), ("Double", 5), ("Double", 9_007_199_254_740_993), ("Date", 12),
            ("UUID", "0190F1A2-0000-7000-8000-00000000000A"), ("Double", -0.0), ("String", "43.0"), ("String", "x"),
            ("Boolean", .boolean(true)), ("Double", 1e300), ("Binary", "AAEC"),
        ]
        for (type, value) in values {
            let story = try MigrationStory(Self.attribute(type), Self.none)
            try story.apply(.insert("A", 1, ["n": value]))
            try story.apply(.update("A", 2, ["n": value]))
            try story.migrateToOneState()
            #expect(try story.migrated.dump().contains("parked"), "\(type)")
        }
    }

    @Test func `a composite has one form, with and without members that are null`() throws {
        let story = try MigrationStory(
            "  A: {attributes: {x: String?, place: {composite: Place, optional: true}}}\n"
                + "composites:\n  Place: {street: String?, number: Integer 64?, price: Decimal?}",
            Self.none
        )
        let place = JSONValue(text: #"{"street":null,"price":"1.0","number":4}"#) ?? .null
        try story.apply(.insert("A", 1, ["place": place]), .update("A", 2, ["place": place]))
        try story.migrateToOneState()
    }

    @Test func `a composite takes what waited for its new member`() throws {
        let place = "  A: {attributes: {x: String?, place: {composite: Place, optional: true}}}\ncomposites:\n  Place: "
        let story = try MigrationStory(place + "{street: String?}", place + "{street: String?, city: String?}")
        let value = JSONValue(text: #"{"street":"a","city":"b"}"#) ?? .null
        try story.apply(.insert("A", 1, ["x": "a"]), .update("A", 1, ["place": value]))
        try story.migrateToOneState()
        #expect(try !story.migrated.dump().contains("parked"))
    }

    @Test func `a value that did not fit is the newest all the same`() throws {
        let story = try MigrationStory(Self.attribute("Integer 16"), Self.none)
        try story.apply(.insert("A", 1, ["n": 1]), .insert("A", 2, ["n": "word"]))
        try story.apply(.update("A", 1, ["n": "word"]))
        try story.apply(.update("A", 2, ["n": 2]))
        try story.migrateToOneState()
    }

    // MARK: Rules

    @Test(arguments: ["max", "min"]) func `the greatest and the least value are kept, deletions or not`(
        rule: String
    ) throws {
        let old = Self.attribute("Integer 64", rule)
        let story = try MigrationStory(old, Self.none)
        try story.apply(.insert("A", 1, ["n": 5]), .insert("A", 2, ["n": 9]), .insert("A", 3, ["n": nil]))
        try story.apply(.update("A", 1, ["n": 3]), .update("A", 4, ["n": 8]), .update("A", 3, ["n": nil]))
        try story.apply(.update("A", 1, ["n": 4]), .delete("A", 2), .update("A", 4, ["n": "word"]))
        try story.apply(.insert("A", 5, ["n": 6]), .delete("A", 5), .insert("A", 2, ["n": 7]))
        try story.migrateToOneState()
        try story.apply(.update("A", 1, ["n": 9]), .update("A", 2, ["n": 1]), .insert("A", 5))
        try story.expectOneState()
        try story.reopen("\(old)\n  C: {attributes: {z: String?}}")
        let read = rule == "max" ? [nil, "6", "9", "9"] : [nil, "1", "3", "6"]
        #expect(try story.rows("SELECT n FROM A ORDER BY n").map { $0[0] } == read)
        try story.expectOneState()
    }

    @Test func `a counter goes on from deferred changes of every kind`() throws {
        let old = Self.attribute("Integer 64", "counter")
        let story = try MigrationStory(old, Self.none)
        try story.apply(.insert("A", 1, ["n": 5]), .insert("A", 2, ["n": nil]), .insert("A", 3, ["n": .increment(1)]))
        try story.apply(.update("A", 1, ["n": .increment(3)]), .update("A", 4, ["n": .increment(2)]))
        try story.apply(.update("A", 1, ["n": .increment(1)]), .delete("A", 1), .update("A", 3, ["n": 9]))
        try story.migrateToOneState()
        try story.apply(.insert("A", 1, ["n": 2]), .update("A", 3, ["n": .increment(4)]))
        try story.expectOneState()
        try story.reopen("\(old)\n  C: {attributes: {z: String?}}")
        #expect(try story.rows("SELECT n FROM A ORDER BY n").map { $0[0] } == [nil, "5", "11"])
        try story.expectOneState()
    }

    /// A store that has had the attribute has the nearest double, and one that never had it the digits.
    @Test func `a double without a point has one form in a digest when its attribute is gone`() throws {
        let story = try MigrationStory("  A: {attributes: {x: Double?, y: String?}}", "  A: {attributes: {y: String?}}")
        try story.apply(.insert("A", 1, ["x": .unrepresentable("10000000000000000001"), "y": "a"]))
        try story.migrate()
        try story.expectOneState()
    }

    // MARK: Versions that only one store remembers

    /// The file of the newer model has a single version, so that only the migrated store knows what the older one had.
    @Test func `a digest has the same writes in a store that never had the older version`() throws {
        let more = """
              A:
                attributes: {x: String?, n: {type: Integer 64, default: 0, merge: counter}, m: String?}
                relationships:
                  {some: {to: A, many: true, inverse: others}, others: {to: A, many: true, inverse: some}}
              B: {attributes: {y: String?}}
              C: {parent: B, attributes: {z: String?}}
            """
        let old = try Model(yaml: "version: \"1\"\nentities:\n" + more)
        let new = try Model(yaml: "version: \"2\"\nentities:\n" + Self.none)
        let (migrated, fresh) = (try Replica(old), try Replica(new))
        let changes: [[Change]] = [
            [.insert("A", 1, ["x": "a", "n": 5, "m": "b"]), .insert("B", 2, ["y": "c"]), .insert("C", 3, ["z": "d"])],
            [
                .update("A", 1, ["n": .increment(3), "m": "e"]), .update("C", 3, ["y": "f"]),
                .link("A", 1, "some", [4]),
            ],
            [.delete("B", 2), .insert("A", 4, ["m": "g"]), .insert("B", 5)],
        ]
        for replica in [migrated, fresh] {
            for (index, changes) in changes.enumerated() {
                try replica.apply(ForeignTransaction(1, UInt64(index) + 1, clock: UInt64(index) + 1, changes))
            }
        }
        #expect(try migrated.digest() != fresh.digest())
        try migrated.reopen(new)
        #expect(try migrated.digest() == fresh.digest())
        // Writes that the model knows are still in it.
        try PlainSQL(path: fresh.path).execute("UPDATE A SET x = 'z' WHERE x = 'a'")
        #expect(try migrated.digest() != fresh.digest())
    }
}
