import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges
import TributaryModel
import TributaryStore

/// Entities and attributes, one kind of difference for each test.
///
/// Each test checks the values that readers see, and compares the merge state with that of a store which had the newer
/// model from the beginning.
@Suite struct MigrationKindTests {
    @Test func `an added attribute has its default, also where it is deferred already`() throws {
        let story = try MigrationStory(
            "  A: {attributes: {x: String?}}",
            "  A: {attributes: {x: String?, n: {type: Integer 64, default: 7}}}"
        )
        try story.apply(.insert("A", 1, ["x": "one"]), .insert("A", 2, ["x": "two", "n": 3]))
        try story.migrate()
        #expect(try story.rows("SELECT x, n FROM A ORDER BY x") == [["one", "7"], ["two", "3"]])
        try story.expectOneState()
        #expect(try story.written() == 0)
    }

    @Test func `an added entity shows what was deferred for it`() throws {
        let story = try MigrationStory(
            "  A: {attributes: {x: String?}}",
            """
              A: {attributes: {x: String?}}
              B: {attributes: {y: String?}, relationships: {a: {to: A?}}}
            """
        )
        try story.apply(.insert("A", 1), .insert("B", 2, ["y": "b", "a": .to(1)]))
        try story.migrate()
        #expect(try story.rows("SELECT B.y FROM B JOIN A ON B.a = A._id") == [["b"]])
        try story.expectOneState()
    }

    @Test func `a renamed attribute keeps values, versions and what is written under the old name`() throws {
        let story = try MigrationStory(
            "  A: {attributes: {pay: Double?, x: String?}}",
            "  A: {attributes: {salary: {type: Double, optional: true, renamed_from: pay}, x: String?}}"
        )
        try story.apply(
            .insert("A", 1, ["pay": 10, "x": "a"]),
            .insert("A", 2, ["pay": 5]),
            .update("A", 9, ["pay": 1])
        )
        try story.apply(.update("A", 1, ["pay": 12]), .delete("A", 2))
        try story.migrate()
        #expect(try story.rows("SELECT salary, x FROM A") == [["12.0", "a"]])
        try story.expectOneState()
        // One writer has the old version of the model, the other one has the new version.
        try story.apply(.update("A", 1, ["pay": 13]), .update("A", 1, ["x": "b"]))
        #expect(try story.value("SELECT salary FROM A") == "13.0")
        try story.apply(.update("A", 1, ["salary": 14]), .insert("A", 9))
        #expect(try story.rows("SELECT salary FROM A ORDER BY 1") == [["1.0"], ["14.0"]])
        try story.expectOneState()
        // History from before the migration has the new name too.
        let history = try story.migrated.store.read { try $0.history.transactions(after: 0, limit: 20) }
        let names = Set(history.flatMap(\.changes).flatMap(\.properties))
        #expect(names.contains("salary") && !names.contains("pay"), "\(names)")
    }

    @Test func `a value under the new name waits in a store with the old one`() throws {
        let story = try MigrationStory(
            "  A: {attributes: {pay: Double?}}",
            "  A: {attributes: {salary: {type: Double, optional: true, renamed_from: pay}}}"
        )
        try story.apply(.insert("A", 1, ["pay": 1]))
        try story.apply(.update("A", 1, ["salary": 2]))
        #expect(try story.value("SELECT pay FROM A") == "1.0")
        try story.migrate()
        #expect(try story.value("SELECT salary FROM A") == "2.0")
        try story.expectOneState()
    }

    @Test func `a renamed entity keeps its objects, its history and what leads to it`() throws {
        let story = try MigrationStory(
            """
              A: {attributes: {x: String?}}
              B: {relationships: {a: {to: A?}}}
            """,
            """
              Z: {renamed_from: A, attributes: {x: String?}}
              B: {relationships: {a: {to: Z?}}}
            """
        )
        try story.apply(.insert("A", 1, ["x": "one"]), .insert("B", 2, ["a": .to(1)]), .insert("B", 3, ["a": .to(4)]))
        let token = try story.migrated.store.read { try $0.history.newestTransaction() }
        try story.migrate()
        #expect(try story.rows("SELECT Z.x FROM B JOIN Z ON B.a = Z._id") == [["one"]])
        #expect(try story.value("SELECT count(*) FROM sqlite_schema WHERE name = 'A'") == "0")
        try story.apply(.insert("A", 4, ["x": "four"]), .update("Z", 1, ["x": "two"]))
        #expect(try story.rows("SELECT Z.x FROM B JOIN Z ON B.a = Z._id ORDER BY 1") == [["four"], ["two"]])
        try story.expectOneState()
        let history = try story.migrated.store.read { try $0.history.transactions(after: 0, limit: 10) }
        #expect(Set(history.flatMap(\.changes).map(\.id.entity)) == ["Z", "B"])
        let later = try story.migrated.store.read { try $0.history.transactions(after: token, limit: 10) }
        #expect(later.map(\.number) == [token + 1])
    }

    @Test func `two entities change their names with each other`() throws {
        let story = try MigrationStory(
            "  A: {attributes: {x: String?}}\n  B: {attributes: {x: String?}}",
            "  A: {renamed_from: B, attributes: {x: String?}}\n  B: {renamed_from: A, attributes: {x: String?}}"
        )
        try story.migrated.apply(ForeignTransaction(2, 1, clock: 1, .insert("A", 1, ["x": "was A"]), .insert("B", 2)))
        try story.migrate()
        #expect(try story.rows("SELECT x FROM B") == [["was A"]])
        #expect(try story.rows("SELECT x FROM A") == [[nil]])
    }

    /// The table has a column for it.
    @Test func `an object keeps a value of an attribute that only another entity of its table has`() throws {
        let story = try MigrationStory(
            "  Root: {attributes: {x: String?}}\n  A: {parent: Root}\n  B: {parent: Root, attributes: {b: String?}}",
            """
              Root: {attributes: {x: String?}}
              A: {parent: Root}
              B: {parent: Root, attributes: {c: {type: String, optional: true, renamed_from: b}}}
            """
        )
        try story.apply(.insert("A", 1, ["x": "a"]), .insert("B", 2, ["b": "two"]), .insert("A", 3))
        try story.apply(.update("B", 1, ["b": "kept"]), .insert("B", 3, ["b": "second"]))
        try story.migrate()
        try story.expectOneState()
        #expect(try story.migrated.values("B", .sample(2))?["c"] == .string("two"))
    }

    @Test func `a removed attribute is deferred and comes back with its versions`() throws {
        let story = try MigrationStory(
            "  A: {attributes: {x: String?, n: {type: Integer 64, optional: true}, c: {type: Integer 64, optional: true, merge: counter}}}",
            "  A: {attributes: {x: String?}}"
        )
        try story.apply(.insert("A", 1, ["x": "a", "n": 1, "c": .increment(2)]), .insert("A", 2, ["n": 5]))
        try story.apply(.update("A", 1, ["n": 2, "c": .increment(3)]), .update("A", 3, ["n": 9]), .delete("A", 2))
        try story.migrate()
        #expect(try story.rows("SELECT * FROM pragma_table_info('A') WHERE name IN ('n', 'c')").isEmpty)
        try story.expectOneState()
        try story.apply(.update("A", 1, ["n": 3]), .insert("A", 3))
        try story.expectOneState()
        let again = try Model(
            yaml:
                "version: \"3\"\nentities: {A: {attributes: {x: String?, n: Integer 64?, c: {type: Integer 64, merge: counter, default: 0}}}}"
        )
        for replica in [story.migrated, story.fresh] { try replica.reopen(again) }
        #expect(try story.rows("SELECT n, c FROM A ORDER BY n") == [["3", "5"], ["9", "0"]])
        try story.expectOneState()
    }

    @Test func `a removed entity is deferred and comes back with its objects`() throws {
        let both = "  A: {attributes: {x: String?}}\n  B: {attributes: {y: String?}, relationships: {a: {to: A?}}}"
        let story = try MigrationStory(both, "  A: {attributes: {x: String?}}")
        try story.apply(.insert("A", 1), .insert("B", 2, ["y": "b", "a": .to(1)]), .insert("B", 3), .insert("B", 4))
        try story.apply(.update("B", 2, ["y": "c"]), .delete("B", 3), .update("B", 5, ["y": "later"]))
        try story.migrate()
        #expect(try story.value("SELECT count(*) FROM sqlite_schema WHERE name = 'B'") == "0")
        try story.expectOneState()
        try story.apply(.insert("B", 5), .delete("B", 4))
        try story.expectOneState()
        let again = try Model(yaml: "version: \"3\"\nentities:\n" + both)
        let renewed = try #require(again.entity(named: "B"))
        #expect(renewed.attributes.count == 1)
        var definitions = try Model(yaml: "version: \"3\"\nentities:\n" + both + "\n  C: {attributes: {z: String?}}")
        definitions = definitions.succeeding([])
        for replica in [story.migrated, story.fresh] { try replica.reopen(definitions) }
        #expect(try story.rows("SELECT y, a IS NOT NULL FROM B ORDER BY y") == [["c", "1"], ["later", "0"]])
        try story.expectOneState()
    }

    /// 2^53 + 1 lies between two values of Double.
    @Test func `integers that Double does not hold are rounded when that is asked for`() throws {
        let story = try MigrationStory(
            "  A: {attributes: {n: Integer 64?}}",
            "  A: {attributes: {m: {type: Double, optional: true, renamed_from: n}}}"
        )
        let between: JSONValue = .integer(9_007_199_254_740_993)
        try story.apply(.insert("A", 1, ["n": between]), .insert("A", 2, ["n": 5]), .update("A", 3, ["n": between]))
        try story.apply(.insert("A", 4, ["n": .integer(.max)]), .insert("A", 5, ["n": .integer(.min)]))
        let unasked = try Model(yaml: "version: \"1\"\nentities:\n  A: {attributes: {n: Double?}}")
        let refused = try #require(throws: MigrationError.self) { try story.migrated.reopen(unasked) }
        guard case .losesValues(_, _, let losses) = refused else { throw refused }
        #expect(losses.map(\.description) == ["A.n: 2 values rounded (Integer 64 becomes Double)"])
        try story.migrate()
        let exact =
            "SELECT count(*) FROM A WHERE m IN (5.0, 9007199254740992.0, 9223372036854775808.0, -9223372036854775808.0)"
        #expect(try story.value(exact) == "4")
        // Writers with the older version go on writing integers.
        try story.apply(.insert("A", 3), .update("A", 2, ["n": between]))
        #expect(try story.value("SELECT count(*) FROM A WHERE m = 9007199254740992.0") == "3")
        try story.expectOneState()
    }

    @Test(arguments: [
        ("Integer 16", "Integer 32", "5", "5"), ("Integer 32", "Integer 64", "5", "5"),
        ("Integer 16", "Double", "5", "5.0"), ("Integer 32", "Double", "5", "5.0"), ("Integer 64", "Decimal", "5", "5"),
        ("Float", "Double", "1.5", "1.5"),
    ])
    func `a wider type keeps values and takes what was too great`(
        from: String,
        to: String,
        written: String,
        read: String
    ) throws {
        let story = try MigrationStory("  A: {attributes: {n: \(from)?}}", "  A: {attributes: {n: \(to)?}}")
        let value = try #require(JSONValue(text: written))
        try story.apply(.insert("A", 1, ["n": value]), .insert("A", 2, ["n": nil]), .update("A", 3, ["n": value]))
        try story.migrate()
        #expect(try story.rows("SELECT n FROM A ORDER BY n IS NULL") == [[read], [nil]])
        try story.apply(.insert("A", 3), .update("A", 2, ["n": value]))
        #expect(try story.rows("SELECT DISTINCT n FROM A") == [[read]])
        try story.expectOneState()
    }

    @Test func `a number that was too great for the type takes effect with the wider one`() throws {
        let story = try MigrationStory("  A: {attributes: {n: Integer 16?}}", "  A: {attributes: {n: Integer 32?}}")
        try story.apply(.insert("A", 1, ["n": 1]))
        try story.apply(.update("A", 1, ["n": 70000]))
        #expect(try story.value("SELECT n FROM A") == "1")
        try story.migrate()
        #expect(try story.value("SELECT n FROM A") == "70000")
        try story.expectOneState()
    }

    @Test func `a new default shows where nothing was written`() throws {
        let story = try MigrationStory(
            "  A: {attributes: {x: {type: String, default: a}, y: String?}}",
            "  A: {attributes: {x: {type: String, default: b}, y: String?}}"
        )
        try story.apply(.insert("A", 1, ["x": "a", "y": "written"]), .insert("A", 2, ["y": "not"]))
        try story.migrate()
        #expect(try story.rows("SELECT x FROM A ORDER BY y") == [["b"], ["a"]])
        try story.expectOneState()
    }

    @Test func `a counter's new default shows below what has been counted`() throws {
        func model(_ number: Int, _ rest: String) -> String {
            "  A: {attributes: {x: String?, c: {type: Integer 64, default: \(number), merge: counter}\(rest)}}\n"
                + "  B: {parent: A, attributes: {d: {type: Integer 64, default: \(number), merge: counter}}}"
        }
        // With a removed attribute the table is rewritten; without one the table stays.
        for rest in ["", ", y: String?"] {
            let story = try MigrationStory(model(13, rest), model(16, ""))
            try story.apply(.insert("A", 1), .insert("A", 2, ["c": 13]), .insert("B", 3), .insert("A", 4, ["c": 5]))
            try story.migrate()
            #expect(try story.rows("SELECT c FROM A ORDER BY c").map { $0[0] } == ["16", "16", "21", "29"])
            try story.expectOneState()
        }
    }

    @Test func `increments before an object is known show when it is inserted`() throws {
        let counter = "c: {type: Integer 64, optional: true, merge: counter}"
        let story = try MigrationStory("  A: {attributes: {\(counter), y: String?}}", "  A: {attributes: {\(counter)}}")
        try story.apply(.update("A", 1, ["c": .increment(27)]))
        try story.migrate()
        try story.apply(.insert("A", 1, ["c": 91]))
        #expect(try story.value("SELECT c FROM A") == "118")
        try story.expectOneState()
    }

    @Test func `a mandatory attribute is filled with the default, which is exported`() throws {
        let story = try MigrationStory(
            "  A: {attributes: {x: String?}}\n  B: {parent: A}",
            "  A: {attributes: {x: {type: String, default: none}}}\n  B: {parent: A}"
        )
        try story.apply(.insert("A", 1, ["x": nil]), .insert("B", 2, ["x": nil]), .insert("A", 3, ["x": "there"]))
        try story.apply(.insert("A", 4))
        try story.migrate()
        #expect(try story.rows("SELECT x FROM A ORDER BY x") == [["none"], ["none"], ["none"], ["there"]])
        #expect(try story.written() == 1)
        try story.expectOneState()
        #expect(try story.fresh.values("A", .sample(1))?["x"] == .string("none"))
    }

    /// The rows are read page by page.
    @Test func `a mandatory attribute is filled in all of 5,001 objects`() throws {
        let story = try MigrationStory(
            "  A: {attributes: {x: String?}}",
            "  A: {attributes: {x: {type: String, default: none}}}"
        )
        try story.apply((1...5_001).map { .insert("A", $0, ["x": nil]) })
        try story.migrate()
        #expect(try story.rows("SELECT x, count(*) FROM A GROUP BY x") == [["none", "5001"]])
    }

    @Test func `values of an attribute that becomes optional stay`() throws {
        let story = try MigrationStory(
            "  A: {attributes: {x: {type: String, default: a}}}",
            "  A: {attributes: {x: {type: String, optional: true}}}"
        )
        try story.apply(.insert("A", 1, ["x": "b"]), .insert("A", 2))
        try story.migrate()
        #expect(try story.rows("SELECT x FROM A ORDER BY x IS NULL") == [["b"], [nil]])
        try story.expectOneState()
    }

    @Test func `an entity gets a parent, and its objects move into the parent's table`() throws {
        let story = try MigrationStory(
            "  A: {attributes: {x: String?, y: String?}}",
            "  P: {abstract: true, attributes: {x: String?}}\n  A: {parent: P, attributes: {y: String?}}"
        )
        try story.apply(.insert("A", 1, ["x": "one", "y": "two"]), .insert("A", 2), .update("A", 3, ["y": "later"]))
        try story.apply(.delete("A", 2))
        try story.migrate()
        #expect(try story.rows("SELECT x, y FROM P") == [["one", "two"]])
        #expect(try story.rows("SELECT x, y FROM A") == [["one", "two"]])
        try story.apply(.insert("A", 3, ["x": "three"]), .insert("A", 2, ["x": "again"]))
        #expect(
            try story.rows("SELECT x, y FROM A ORDER BY x") == [["again", nil], ["one", "two"], ["three", "later"]]
        )
        try story.expectOneState()
    }

    @Test func `history keeps the preserved values of deleted objects whose entity gets a parent`() throws {
        let attributes = "attributes: {x: {type: String, optional: true, preserve_after_deletion: true}}"
        let story = try MigrationStory("  A: {\(attributes)}", "  P: {}\n  A: {parent: P, \(attributes)}")
        try story.apply(.insert("A", 1, ["x": "kept"]))
        try story.apply(.delete("A", 1))
        try story.migrate()
        for replica in [story.migrated, story.fresh] {
            let preserved = try replica.store.read { try $0.history.tombstones(after: 0, through: 2) }
            #expect(preserved == [2: [Tombstone(root: "P", id: .sample(1)): ["x": "kept"]]])
        }
    }

    @Test func `an attribute moves up to the parent entity`() throws {
        let story = try MigrationStory(
            "  P: {attributes: {x: String?}}\n  A: {parent: P, attributes: {y: String?}}\n  B: {parent: P}",
            "  P: {attributes: {x: String?, y: String?}}\n  A: {parent: P}\n  B: {parent: P}"
        )
        try story.apply(.insert("A", 1, ["x": "a", "y": "moved"]), .insert("B", 2, ["x": "b"]), .insert("P", 3))
        try story.migrate()
        #expect(try story.rows("SELECT x, y FROM P ORDER BY x") == [[nil, nil], ["a", "moved"], ["b", nil]])
        try story.expectOneState()
    }

    @Test func `an added sub-entity and one that is not abstract any more`() throws {
        let story = try MigrationStory(
            "  P: {abstract: true, attributes: {x: String?}}\n  A: {parent: P}",
            "  P: {attributes: {x: String?}}\n  A: {parent: P}\n  B: {parent: P, attributes: {z: String?}}"
        )
        try story.apply(.insert("A", 1, ["x": "a"]), .insert("P", 2, ["x": "p"]), .insert("B", 3, ["z": "b"]))
        try story.migrate()
        #expect(try story.rows("SELECT x FROM P ORDER BY x") == [[nil], ["a"], ["p"]])
        #expect(try story.rows("SELECT z FROM B") == [["b"]])
        try story.expectOneState()
    }

    @Test func `indexes and unique keys come and go`() throws {
        let story = try MigrationStory(
            "  A: {attributes: {x: String?, y: String?}, unique: [x], indexes: {byY: [y]}}",
            "  A: {attributes: {x: String?, z: {type: String, optional: true, renamed_from: y}}, unique: [z], indexes: {byX: [x, -z]}}"
        )
        try story.apply(.insert("A", 1, ["x": "1", "y": "2"]))
        func indexes() throws -> [String?] {
            try story.rows(
                "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'A' AND sql IS NOT NULL ORDER BY name"
            ).map { $0[0] }
        }
        #expect(try indexes() == ["tributary_fetch_A_byY", "tributary_key_A_x"])
        try story.migrate()
        #expect(try indexes() == ["tributary_fetch_A_byX", "tributary_key_A_z"])
        try story.expectOneState()
    }

    @Test func `an index changes its direction`() throws {
        let story = try MigrationStory(
            "  A: {attributes: {x: String?, y: String?}, indexes: {i: [x, y]}}",
            "  A: {attributes: {x: String?, y: String?}, indexes: {i: [x, -y]}}"
        )
        func directions() throws -> [String?] {
            try story.rows("SELECT desc FROM pragma_index_xinfo('tributary_fetch_A_i') WHERE key ORDER BY seqno").map {
                $0[0]
            }
        }
        #expect(try directions().starts(with: ["0", "0"]))
        try story.migrate()
        #expect(try directions().starts(with: ["0", "1"]))
        try story.expectOneState()
    }

    @Test func `max, min and counter registers are renamed with their rules`() throws {
        func model(_ prefix: String, _ renamed: Bool) -> String {
            let names = ["max", "min", "counter"].map { rule in
                "\(prefix)\(rule): {type: Integer 64, optional: true, merge: \(rule)\(renamed ? ", renamed_from: a\(rule)" : "")}"
            }
            return "  A: {attributes: {\(names.joined(separator: ", "))}}"
        }
        let story = try MigrationStory(model("a", false), model("b", true))
        try story.apply(.insert("A", 1, ["amax": 5, "amin": 5, "acounter": .increment(5)]))
        try story.apply(.update("A", 1, ["amax": 3, "amin": 3, "acounter": .increment(3)]))
        try story.migrate()
        try story.apply(.update("A", 1, ["amax": 4, "bmin": 4, "acounter": .increment(1)]))
        #expect(try story.rows("SELECT bmax, bmin, bcounter FROM A") == [["5", "3", "9"]])
        try story.expectOneState()
    }

    @Test func `nothing changes when only the modifier does, and the store is at the new version`() throws {
        let story = try MigrationStory(
            "  A: {attributes: {x: String?}}",
            "  A: {hash_modifier: again, attributes: {x: String?}}"
        )
        try story.apply(.insert("A", 1, ["x": "a"]))
        try story.migrate()
        #expect(try story.value("SELECT x FROM A") == "a")
        #expect(try story.rows("SELECT version FROM tributary_model ORDER BY number") == [["1"], ["2"]])
        try story.expectOneState()
    }

    @Test func `an older model is refused by the names of both`() throws {
        let story = try MigrationStory("  A: {attributes: {x: String?}}", "  A: {attributes: {y: String?}}")
        try story.migrate()
        let reason = try #require(throws: MigrationError.self) { try story.migrated.reopen(story.old) }
        #expect(reason == .olderModel(store: "2", model: "1", []))
        #expect(reason.description.contains("'2'") && reason.description.contains("'1'"))
        #expect(throws: MigrationError.self) { try story.fresh.reopen(story.old) }
    }

    @Test func `going back names the version to give, and the values that will be lost`() throws {
        func model(_ version: String, _ attributes: String) throws -> Model {
            try Model(yaml: "version: \"\(version)\"\nentities:\n  A: {attributes: {\(attributes)}}")
        }
        let replica = try Replica(try model("1", "x: String?"))
        try replica.reopen(try model("1", "x: String?, y: String?"))
        try replica.commit(.insert("A", 1, ["x": "a", "y": "b"]))
        let reason = try #require(throws: MigrationError.self) { try replica.reopen(try model("1", "x: String?")) }
        let text = reason.description
        guard case .olderModel(let store, let version, let losses) = reason else { throw reason }
        #expect(store == "1" && version == "1" && losses.map(\.property) == ["y"])
        #expect(text.contains("has had this model before") && !text.contains("older version"), "\(text)")
        #expect(text.contains("version: \"2\"") && text.contains("A.y: 1 value"), "\(text)")
        try replica.reopen(try model("2", "x: String?"))
        #expect(try PlainSQL(path: replica.path).rows("SELECT x FROM A") == [["a"]])
    }

    @Test(arguments: [("2.5", "1", "2.5.1"), ("2024-05", "3", "2024-05.1"), ("9", "10", "11"), ("3", "x", "3.1")])
    func `the version to give comes after the store's`(store: String, model: String, version: String) {
        let text = MigrationError.olderModel(store: store, model: model, []).description
        #expect(text.contains("version: \"\(version)\""), "\(text)")
    }

    /// An attribute that was added by mistake is taken away again: under another version's name, or with permission.
    @Test(arguments: [("2", false), ("1", true)])
    func `a store goes back by a migration that is asked for`(version: String, isAllowed: Bool) throws {
        func model(_ attributes: String, _ version: String) throws -> Model {
            try Model(yaml: "version: \"\(version)\"\nentities:\n  A: {attributes: {\(attributes)}}")
        }
        let replica = try Replica(model("x: String?", "1"))
        try replica.commit(.insert("A", 1, ["x": "a"]))
        try replica.reopen(model("x: String?, y: String?", "1"))
        try replica.commit(.update("A", 1, ["y": "b"]))
        let refused = try #require(throws: MigrationError.self) { try replica.reopen(model("x: String?", "1")) }
        #expect(refused.description.contains("allow_loss"), "\(refused)")
        var settings = MigrationSettings()
        settings.allowsLoss = isAllowed
        for _ in 0..<2 { try replica.reopen(model("x: String?", version), migration: settings) }
        #expect(try PlainSQL(path: replica.path).rows("SELECT * FROM A").count == 1)
        #expect(try PlainSQL(path: replica.path).value("SELECT x FROM A") == "a")
        // And forward again.
        try replica.reopen(model("x: String?, y: String?", "3"))
        #expect(try PlainSQL(path: replica.path).value("SELECT y FROM A") == "b")
    }

    /// The newer version of a bundle may come first in the order of names.
    @Test func `what the order of names says loses nothing`() throws {
        let folder = try TemporaryFolder("bundle")
        func bundle(_ current: String, _ entities: [String: String]) throws -> Model {
            for (entity, attributes) in entities {
                let parts = attributes.split(separator: " ").map {
                    "<attribute name=\"\($0)\" optional=\"YES\" attributeType=\"String\"/>"
                }
                try folder.write(
                    "<model><entity name=\"\(entity)\">\(parts.joined())</entity></model>",
                    to: "App.xcdatamodeld/\(current).xcdatamodel/contents"
                )
            }
            try folder.write(
                "<plist><dict><key>_XCCurrentVersionName</key><string>\(current).xcdatamodel</string></dict></plist>",
                to: "App.xcdatamodeld/.xccurrentversion"
            )
            return try Model(contentsOf: folder.path("App.xcdatamodeld"))
        }
        let old = try bundle("Zoo", ["A": "x"])
        let replica = try Replica(old)
        try replica.commit(.insert("A", 1, ["x": "a"]))
        let lossy = try bundle("Ark", ["B": "x"])
        let refused = try #require(throws: MigrationError.self) { try replica.reopen(lossy) }
        guard case .losesValues(from: "Zoo", to: "Ark", let losses) = refused else { throw refused }
        #expect(!losses.isEmpty && refused.description.contains("allow_loss"))
        try replica.reopen(bundle("Ark", ["A": "x y"]))
        #expect(try PlainSQL(path: replica.path).value("SELECT x FROM A") == "a")
        // By its name the version is the newer one, but the store has left it.
        for zoo in [old, try bundle("Zoo", ["A": "x"])] {
            #expect(throws: MigrationError.olderModel(store: "Ark", model: "Zoo", [])) { try replica.reopen(zoo) }
        }
    }

    /// The store has not been at the older version: its name says which it is, or what the newer one renames.
    @Test(arguments: [("Zoo", "Ark", "String?"), ("Ark", "Zoo", "{type: String, optional: true, renamed_from: x}")])
    func `a step to an older version loses nothing`(newer: String, older: String, y: String) throws {
        func model(_ version: String, _ attributes: String) throws -> Model {
            try Model(yaml: "version: \(version)\nentities:\n  A: {attributes: {\(attributes)}}")
        }
        let replica = try Replica(model(newer, "y: \(y), w: String?"))
        try replica.commit(.insert("A", 1, ["w": "a"]))
        let refused = try #require(throws: MigrationError.self) { try replica.reopen(model(older, "x: String?")) }
        guard case .losesValues(newer, older, _) = refused else { throw refused }
        #expect(try PlainSQL(path: replica.path).value("SELECT w FROM A") == "a")
    }
}
