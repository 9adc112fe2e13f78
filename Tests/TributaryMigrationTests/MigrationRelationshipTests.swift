import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges
import TributaryModel
import TributaryStore

/// Relationships, one kind of difference for each test.
@Suite struct MigrationRelationshipTests {
    private static let many =
        "  A: {attributes: {x: String?}, relationships: {bs: {to: B, many: true, inverse: as}}}\n"
        + "  B: {attributes: {y: String?}, relationships: {as: {to: A, many: true, inverse: bs}}}"

    @Test func `a to-one relationship becomes to-many`() throws {
        let story = try MigrationStory(
            "  A: {relationships: {b: {to: B?}}}\n  B: {attributes: {y: String?}}",
            "  A: {relationships: {bs: {to: B, many: true, renamed_from: b}}}\n  B: {attributes: {y: String?}}"
        )
        try story.apply(.insert("B", 1), .insert("A", 2, ["b": .to(1)]), .insert("A", 3, ["b": nil]), .insert("A", 4))
        try story.apply(.update("A", 4, ["b": .to(9)]))
        try story.migrate()
        #expect(try story.rows("SELECT hex(_source) IS NOT NULL FROM A_bs").count == 1)
        #expect(try story.written() == 1)
        try story.expectOneState()
        try story.apply(.update("A", 3, ["b": .to(1)]))
        try story.expectOneState()
    }

    @Test(arguments: [
        ("{to: B?}", "", "{to: C?}", ""), ("{to: B, many: true}", "", "{to: C, many: true, ordered: true}", ""),
        (
            "{to: B?, inverse: as}", "{as: {to: A, many: true, inverse: r}}", "{to: C?, inverse: r}",
            "{r: {to: A, many: true, inverse: r}}"
        ),
        ("{to: B?, inverse: a}", "{a: {to: A?, inverse: r}}", "{to: C?, inverse: a}", "{a: {to: A?, inverse: r}}"),
        ("{to: B, many: true, inverse: as}", "{as: {to: A, many: true, inverse: r}}", "{to: C, many: true}", ""),
    ])
    func `a relationship that gets a destination in another hierarchy starts empty`(
        old: String,
        oldInverse: String,
        new: String,
        newInverse: String
    ) throws {
        func text(_ r: String, _ b: String, _ c: String) -> String {
            "  A: {attributes: {x: String?}, relationships: {r: \(r)}}\n"
                + "  B: {attributes: {y: String?}, relationships: {\(b.dropFirst().dropLast())}}\n"
                + "  C: {attributes: {z: String?}, relationships: {\(c.dropFirst().dropLast())}}"
        }
        let story = try MigrationStory(text(old, oldInverse, ""), text(new, "", newInverse))
        func point(_ object: Int, at target: Int) -> Change {
            old.contains("many")
                ? .link("A", object, "r", [target]) : .update("A", object, ["r": .to(target)])
        }
        try story.apply(.insert("B", 11), .insert("B", 12), .insert("A", 1), .insert("A", 2), .insert("C", 12))
        try story.apply(point(1, at: 11), point(2, at: 12))
        let unasked = try Model(yaml: "version: \"1\"\nentities:\n\(text(new, "", newInverse))")
        let refused = try #require(throws: MigrationError.self) { try story.migrated.reopen(unasked) }
        guard case .losesValues(_, _, let losses) = refused else { throw refused }
        #expect(losses.map(\.count) == [2], "\(losses)")
        try story.migrateToOneState()
        try story.apply(.insert("C", 13), .insert("A", 3), point(3, at: 13), point(1, at: 12))
        try story.expectOneState()
    }

    @Test func `one-to-many becomes many-to-many`() throws {
        let story = try MigrationStory(
            "  E: {relationships: {d: {to: D?, inverse: es}}}\n  D: {relationships: {es: {to: E, many: true, inverse: d}}}",
            "  E: {relationships: {ds: {to: D, many: true, inverse: es, renamed_from: d}}}\n"
                + "  D: {relationships: {es: {to: E, many: true, inverse: ds}}}"
        )
        try story.apply(.insert("D", 1), .insert("E", 2, ["d": .to(1)]), .insert("E", 3, ["d": .to(1)]))
        try story.migrate()
        #expect(try story.rows("SELECT 1 FROM D_es").count == 2)
        try story.expectOneState()
    }

    @Test func `pairs keep their versions when a relationship and its entity are renamed`() throws {
        let story = try MigrationStory(
            Self.many,
            "  C: {renamed_from: A, attributes: {x: String?}, relationships: {links: {to: B, many: true, inverse: as, renamed_from: bs}}}\n"
                + "  B: {attributes: {y: String?}, relationships: {as: {to: C, many: true, inverse: links}}}"
        )
        try story.apply(.insert("A", 1), .insert("A", 2), .insert("B", 3), .insert("B", 4))
        try story.apply(.link("A", 1, "bs", [3, 4, 9]), .link("A", 2, "bs", [3]))
        try story.apply(.unlink("A", 1, "bs", [3]))
        try story.migrate()
        // (B, as) sorts first now, so the pairs are kept on the other side.
        #expect(try story.rows("SELECT 1 FROM B_as").count == 2)
        #expect(try story.value("SELECT count(*) FROM sqlite_schema WHERE name = 'A_bs'") == "0")
        #expect(try story.written() == 0)
        try story.expectOneState()
        try story.apply(.insert("B", 9), .link("A", 2, "bs", [4]), .unlink("C", 2, "links", [3]))
        #expect(try story.rows("SELECT 1 FROM B_as").count == 3)
        try story.expectOneState()
    }

    @Test func `a removed many-to-many relationship is deferred and comes back`() throws {
        let story = try MigrationStory(Self.many, "  A: {attributes: {x: String?}}\n  B: {attributes: {y: String?}}")
        try story.apply(.insert("A", 1), .insert("A", 2), .insert("B", 3), .insert("B", 4))
        try story.apply(.link("A", 1, "bs", [3, 4]), .link("A", 2, "bs", [3]))
        try story.apply(.unlink("A", 1, "bs", [3]), .delete("B", 4))
        try story.migrateToOneState()
        try story.apply(.link("A", 2, "bs", [9]))
        try story.expectOneState()
        try story.reopen(Self.many + "\n  C: {attributes: {z: String?}}")
        #expect(try story.rows("SELECT 1 FROM A_bs").count == 1)
        try story.expectOneState()
    }

    @Test func `a to-one relationship is renamed, what is not there yet included`() throws {
        let story = try MigrationStory(
            "  A: {relationships: {b: {to: B?, inverse: as}}}\n  B: {relationships: {as: {to: A, many: true, inverse: b}}}",
            "  A: {relationships: {owner: {to: B?, inverse: things, renamed_from: b}}}\n"
                + "  B: {relationships: {things: {to: A, many: true, inverse: owner, renamed_from: as}}}"
        )
        try story.apply(.insert("B", 1), .insert("A", 2, ["b": .to(1)]), .insert("A", 3, ["b": .to(9)]))
        try story.migrate()
        #expect(try story.rows("SELECT owner IS NULL FROM A ORDER BY 1") == [["0"], ["1"]])
        try story.apply(.insert("B", 9), .link("B", 9, "as", [2]))
        #expect(try story.rows("SELECT DISTINCT hex(owner) LIKE '%9' FROM A") == [["1"]])
        try story.expectOneState()
    }

    @Test func `a removed to-one relationship is deferred, dangling IDs too`() throws {
        let story = try MigrationStory(
            "  A: {relationships: {b: {to: B?}}}\n  B: {attributes: {y: String?}}",
            "  A: {attributes: {x: String?}}\n  B: {attributes: {y: String?}}"
        )
        try story.apply(.insert("B", 1), .insert("A", 2, ["b": .to(1)]), .insert("A", 3, ["b": .to(9)]))
        try story.apply(.delete("B", 1))
        try story.migrateToOneState()
    }

    @Test func `a one-to-one relationship is renamed on its side`() throws {
        let story = try MigrationStory(
            "  A: {relationships: {b: {to: B?, inverse: a}}}\n  B: {relationships: {a: {to: A?, inverse: b}}}",
            "  A: {relationships: {pass: {to: B?, inverse: owner, renamed_from: b}}}\n"
                + "  B: {relationships: {owner: {to: A?, inverse: pass, renamed_from: a}}}"
        )
        try story.apply(.insert("A", 1, ["b": .to(3)]), .insert("A", 2), .insert("B", 3), .insert("B", 4))
        try story.apply(.update("A", 2, ["b": .to(3)]))
        try story.migrate()
        #expect(try story.rows("SELECT hex(pass) LIKE '%3' FROM A WHERE pass IS NOT NULL") == [["1"]])
        #expect(try story.rows("SELECT hex(owner) LIKE '%2' FROM B WHERE owner IS NOT NULL") == [["1"]])
        try story.apply(.update("A", 2, ["b": nil]))
        #expect(try story.rows("SELECT hex(owner) LIKE '%1' FROM B WHERE owner IS NOT NULL") == [["1"]])
        try story.expectOneState()
    }

    @Test func `a one-to-one relationship changes the side that keeps it`() throws {
        let story = try MigrationStory(
            "  A: {relationships: {b: {to: B?, inverse: a}}}\n  B: {relationships: {a: {to: A?, inverse: b}}}",
            "  Z: {renamed_from: A, relationships: {b: {to: B?, inverse: a}}}\n"
                + "  B: {relationships: {a: {to: Z?, inverse: b}}}"
        )
        try story.apply(.insert("A", 1, ["b": .to(3)]), .insert("A", 2), .insert("B", 3), .insert("B", 4))
        try story.apply(.update("A", 2, ["b": .to(4)]))
        try story.apply(.update("A", 2, ["b": nil]))
        try story.migrate()
        #expect(try story.rows("SELECT hex(a) FROM B WHERE a IS NOT NULL").count == 1)
        #expect(try story.rows("SELECT hex(b) FROM Z WHERE b IS NOT NULL").count == 1)
        try story.expectOneState()
    }

    @Test func `a relationship becomes ordered and unordered again`() throws {
        func model(_ isOrdered: Bool) -> String {
            "  A: {relationships: {bs: {to: B, many: true, ordered: \(isOrdered)}}}\n  B: {attributes: {y: String?}}"
        }
        let story = try MigrationStory(model(false), model(true))
        try story.apply(.insert("A", 1), .insert("B", 2), .insert("B", 3), .link("A", 1, "bs", [2, 3, 9]))
        try story.migrate()
        #expect(try story.rows("SELECT _position FROM A_bs") == [[""], [""]])
        try story.expectOneState()
        let back = try MigrationStory(model(true), model(false))
        try back.apply(.insert("A", 1), .insert("B", 2), .link("A", 1, "bs", [2, 9], at: ["a", "b"]))
        try back.migrate()
        #expect(try back.rows("SELECT * FROM pragma_table_info('A_bs') WHERE name = '_position'").isEmpty)
        try back.expectOneState()
        let without = "  A: {attributes: {x: String?}}\n  B: {attributes: {y: String?}}"
        let removed = try MigrationStory(model(true), without)
        try removed.apply(.insert("A", 1), .insert("B", 2), .link("A", 1, "bs", [2, 9], at: ["b", "a"]))
        try removed.migrateToOneState()
    }

    @Test func `a relationship loses its inverse, and another gets one`() throws {
        let story = try MigrationStory(
            Self.many,
            "  A: {attributes: {x: String?}, relationships: {bs: {to: B, many: true}}}\n  B: {attributes: {y: String?}}"
        )
        try story.apply(.insert("A", 1), .insert("B", 3), .link("A", 1, "bs", [3]))
        try story.migrate()
        #expect(try story.rows("SELECT 1 FROM A_bs").count == 1)
        try story.expectOneState()
        let gain = try MigrationStory(
            "  A: {relationships: {b: {to: B?}}}\n  B: {attributes: {y: String?}}",
            "  A: {relationships: {b: {to: B?, inverse: as}}}\n"
                + "  B: {attributes: {y: String?}, relationships: {as: {to: A, many: true, inverse: b}}}"
        )
        try gain.apply(.insert("B", 1), .insert("A", 2, ["b": .to(1)]))
        try gain.migrate()
        #expect(try gain.rows("SELECT 1 FROM A WHERE b IS NOT NULL").count == 1)
        try gain.expectOneState()
    }

    @Test func `to-one without an inverse becomes one-to-one, the newest claim shows`() throws {
        let story = try MigrationStory(
            "  A: {relationships: {b: {to: B?}}}\n  B: {attributes: {y: String?}}",
            "  A: {relationships: {b: {to: B?, inverse: a}}}\n"
                + "  B: {attributes: {y: String?}, relationships: {a: {to: A?, inverse: b}}}"
        )
        try story.apply(.insert("B", 1), .insert("A", 2, ["b": .to(1)]))
        try story.apply(.insert("A", 3, ["b": .to(1)]))
        try story.migrate()
        #expect(try story.rows("SELECT hex(_id) LIKE '%3' FROM A WHERE b IS NOT NULL") == [["1"]])
        #expect(try story.rows("SELECT hex(a) LIKE '%3' FROM B") == [["1"]])
        try story.expectOneState()
    }
}
