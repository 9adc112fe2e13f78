import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges
import TributaryModel
import TributaryStore

extension PropertyWrite {
    fileprivate static let both = [
        PropertyWrite(name: "b", value: .string("present")), PropertyWrite(name: "a", value: .string("former")),
    ]
}

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
    ///
    /// A store that joins a baseline of the first one, and is then upgraded, must have the same state, and so must one
    /// that joins a baseline of the second one.
    private func upgraded(
        from versions: (old: String, new: String) = (old, new),
        after before: [Change] = [],
        _ changes: Change...
    ) throws -> MigrationStory {
        try upgraded(from: versions, after: before, changes)
    }

    private func upgraded(
        from versions: (old: String, new: String),
        after before: [Change] = [],
        _ changes: [Change]
    ) throws -> MigrationStory {
        let story = try MigrationStory(versions.old, versions.new)
        for change in before { try story.apply(change) }
        try story.apply(changes)
        let joined = try (Replica(story.old), Replica(story.new))
        try joined.0.join(story.migrated)
        try joined.1.join(story.fresh)
        try joined.0.reopen(story.new)
        try story.migrateToOneState()
        #expect(try joined.0.dump() == story.fresh.dump(), "\(changes)")
        #expect(try joined.1.dump() == story.fresh.dump(), "\(changes)")
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

    @Test func `of two inserts the later one names the entity`() throws {
        let known = Change.insert("P", 1, ["x": "c", "n": 1])
        for unknown in ["Q", "A"] {
            let versions = (old: Self.old, new: Self.new.replacing("Q: {", with: "\(unknown): {"))
            let other = Change.insert(unknown, 1, ["x": "a", "q": "b"])
            let story = try upgraded(from: versions, known, other)
            #expect(try story.rows("SELECT x, q, n FROM \(unknown)") == [["a", "b", "1"]])
            let reverse = try upgraded(from: versions, other, known)
            #expect(try reverse.rows("SELECT x, n FROM P") == [["c", "1"]])
            #expect(try reverse.rows("SELECT count(*) FROM \(unknown)") == [["0"]])
            let back = try upgraded(from: versions, other, known, .update(unknown, 1, ["q": "z"]), other)
            #expect(try back.rows("SELECT x, q, n FROM \(unknown)") == [["a", "b", "1"]])
        }
    }

    @Test func `of two names of a property the later one stands`() throws {
        let new = "  P: {attributes: {b: {type: String, optional: true, renamed_from: a}, n: Integer 16?}}"
        for old in ["  P: {attributes: {n: Integer 16?}}", "  P: {attributes: {a: String?, n: Integer 16?}}"] {
            let (former, present) = (Change.update("P", 1, ["a": "former"]), Change.update("P", 1, ["b": "present"]))
            let both = PropertyWrite.both
            for (changes, value) in [
                ([former, present], "present"), ([present, former], "former"),
                ([Change(entity: "P", id: .sample(1), operation: .update(both)), .update("P", 1, ["n": 1])], "former"),
                ([Change(entity: "P", id: .sample(1), operation: .update(both.reversed()))], "present"),
                ([Change(entity: "P", id: .sample(1), operation: .insert(both))], "former"),
            ] {
                let story = try upgraded(from: (old, new), after: [.insert("P", 1)], changes)
                #expect(try story.rows("SELECT b FROM P") == [[value]], "\(changes)")
                _ = try upgraded(from: (old, new), changes)
            }
            let story = try upgraded(from: (old, new), .insert("P", 1, ["a": "1"]), .update("P", 1, ["a": "2"]))
            #expect(try story.rows("SELECT b FROM P") == [["2"]])
        }
    }

    @Test func `of two former names of a property the later one stands`() throws {
        func property(_ name: String, from former: String) -> String {
            "  P: {attributes: {\(name): {type: String, optional: true, renamed_from: \(former)}}}"
        }
        let versions = ["  P: {attributes: {b: String?}}", property("a", from: "b"), property("c", from: "a")]
        let known = try MigrationStory(versions[0], versions[1], versions[2])
        try known.apply(.insert("P", 1), .insert("P", 2))
        try known.apply(.update("P", 1, ["a": "a"]), .update("P", 1, ["b": "b"]))
        try known.apply(.update("P", 2, ["b": "b"]), .update("P", 2, ["a": "a"]))
        #expect(try known.fresh.values("P", .sample(1))?["c"] == .string("b"))
        #expect(try known.fresh.values("P", .sample(2))?["c"] == .string("a"))
    }

    @Test func `increments beside a deferred line count once`() throws {
        let old = "  P: {attributes: {x: String?, n: {type: Integer 64, optional: true, merge: counter}}}"
        let versions = (old: old, new: old + "\n  Q: {parent: P, attributes: {q: String?}}")
        let story = try upgraded(
            from: versions,
            after: [.insert("P", 1, ["n": 1])],
            .insert("Q", 1, ["n": 2]),
            .update("P", 1, ["n": .increment(4), "x": "a"]),
            .update("Q", 1, ["n": .increment(8)])
        )
        #expect(try story.rows("SELECT x, n FROM Q") == [["a", "15"]])
    }

    /// One register is written from both sides, and the older model lacks one of the sides.
    @Test func `of two writes to a register from its two sides the later stands`() throws {
        let side = "relationships: {next: {to: S?, inverse: prevs}, prevs: {to: S, many: true, inverse: next}}"
        let versions = (
            old: "  S: {\(side)}\n  T: {parent: S}", new: "  S: {\(side)}\n  T: {parent: S}\n  U: {parent: S}"
        )
        let insert = Change.insert("U", 1, ["next": .to(1)])
        for unlink in [Change.unlink("T", 2, "prevs", [1]), .unlink("U", 2, "prevs", [1])] {
            let story = try upgraded(from: versions, after: [.insert("S", 2)], insert, unlink)
            #expect(try story.rows("SELECT count(next) FROM U") == [["0"]])
            let reverse = try upgraded(from: versions, after: [.insert("S", 2)], unlink, insert)
            #expect(try reverse.rows("SELECT count(next) FROM U") == [["1"]])
        }
    }

    private static let mates = """
          P: {attributes: {x: String?}, relationships: {mate: {to: P?, inverse: mateOf}, \
        mateOf: {to: P?, inverse: mate}}}
        """

    /// Both values write the register `mate` of the object.
    private static let twoSides: [(values: KeyValuePairs<String, JSONValue>, mate: UniqueID?)] = [
        (["mateOf": .to(1), "mate": .to(2)], .sample(2)), (["mate": .to(2), "mateOf": .to(1)], .sample(1)),
        (["mateOf": .to(1), "mate": nil], nil), (["mate": nil, "mateOf": .to(1)], .sample(1)),
        (["mateOf": .to(1), "mate": 5], .sample(1)),
    ]

    @Test func `of two sides of a register in one change the later stands`() throws {
        for (values, mate) in Self.twoSides {
            for change in [Change.insert("P", 1, values), .update("P", 1, values)] {
                let versions = (old: "  P: {attributes: {x: String?}}", new: Self.mates)
                let before = [Change.insert("P", 1), .insert("P", 2)]
                let story = try upgraded(from: versions, after: before, change)
                let value = mate.map(PropertyValue.reference) ?? .null
                #expect(try story.fresh.values("P", .sample(1))?["mate"] == value, "\(change)")
            }
        }
    }

    /// A store that had the relationship, and one that never had it.
    @Test func `of two sides of a register that was removed the later stands`() throws {
        let other = "  R: {attributes: {y: String?}}"
        let base = "  P: {attributes: {x: String?}}"
        let kept = "  P: {attributes: {x: String?}, relationships: {mate: {to: P?}}}"
        let child = "\n  Q: {parent: P}"
        let versions = [
            (Self.mates, base), (Self.mates, kept), (Self.mates + child, kept), (Self.mates + "\n" + other, other),
        ]
        for (old, new) in versions {
            let entity = old.contains("Q:") ? "Q" : "P"
            for (values, _) in Self.twoSides {
                for change in [Change.insert(entity, 1, values), .update(entity, 1, values)] {
                    let story = try MigrationStory(old, new)
                    try story.apply(.insert("P", 2))
                    try story.apply(change)
                    try story.migrateToOneState()
                }
            }
        }
    }

    @Test func `values of both sides of a register in any order have one result`() throws {
        var random = SeededGenerator.printingSeed()
        for _ in LongProofs.rounds(30) {
            let changes = (0..<6).map { _ -> Change in
                let all = ["mate", "mateOf", "x"].shuffled(using: &random)
                let names = all.prefix(Int.random(in: 1...3, using: &random))
                let writes = names.map { name -> PropertyWrite in
                    let number = Int.random(in: 0...3, using: &random)
                    let value: JSONValue = number == 0 && name == "mate" ? .null : .to(max(1, number))
                    return PropertyWrite(name: name, value: name == "x" ? .string("\(number)") : value)
                }
                let operation: Change.Operation = Bool.random(using: &random) ? .insert(writes) : .update(writes)
                return Change(entity: "P", id: .sample(Int.random(in: 1...3, using: &random)), operation: operation)
            }
            _ = try upgraded(from: ("  P: {attributes: {x: String?}}", Self.mates), changes)
        }
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

    @Test func `a deletion takes what came before its transaction, known or not`() throws {
        let insert = Change.insert("P", 1, ["x": "a", "n": 1])
        let gone = try upgraded(after: [insert, .update("Q", 1, ["x": "b"])], .delete("P", 1))
        #expect(try gone.rows("SELECT count(*) FROM P") == [["0"]])
        let back = try upgraded(after: [insert], .delete("Q", 1), .insert("P", 1, ["x": "b"]))
        #expect(try back.rows("SELECT x, n FROM P") == [["b", nil]])
        let linked = try upgraded(
            after: [insert, .insert("R", 9), .link("Q", 1, "rs", [9])],
            .delete("P", 1),
            .insert("P", 1, ["z": "c"])
        )
        #expect(try linked.rows("SELECT count(*) FROM P_rs") == [["0"]])
    }

    @Test func `of a link and an unlink the later stands`() throws {
        let before: [Change] = [.insert("P", 1), .insert("R", 9)]
        let unlinked = try upgraded(after: before, .link("Q", 1, "rs", [9]), .unlink("Q", 1, "rs", [9]))
        #expect(try unlinked.rows("SELECT count(*) FROM P_rs") == [["0"]])
        let linked = try upgraded(after: before, .unlink("P", 1, "rs", [9]), .link("R", 9, "ps", [1]))
        #expect(try linked.rows("SELECT count(*) FROM P_rs") == [["1"]])
    }

    @Test func `a line that follows a kept one stands`() throws {
        let before: [Change] = [.insert("P", 1), .insert("P", 2), .insert("R", 9)]
        let deferred = Change.update("P", 1, ["n": 70_000])
        let story = try upgraded(
            after: before,
            deferred,
            .link("R", 9, "ps", [1, 2]),
            .unlink("R", 9, "ps", [2])
        )
        #expect(try story.rows("SELECT count(*) FROM P_rs") == [["1"]])
    }

    /// A later model merges the lines of a transaction slice after slice.
    @Test func `a line in another slice than the deferred line before it is kept`() throws {
        let old = "  P: {attributes: {x: String?}}"
        let new = "  P: {attributes: {x: String?, n: Integer 16?}}"
        let story = try MigrationStory(old, new)
        let others = (2...1_500).map { Change.update("P", $0, ["n": 1]) }
        try story.apply([.insert("A", 1, ["x": "a"])] + others + [.insert("P", 1, ["x": "p"])])
        try story.migrateToOneState()
        try story.reopen(new + "\n  A: {parent: P}")
        try story.expectOneState()
        #expect(try story.rows("SELECT x FROM P") == [["p"]])
        #expect(try story.rows("SELECT count(*) FROM A") == [["0"]])
    }

    @Test func `a transaction of several slices has the result of its order`() throws {
        var generator = SeededGenerator.printingSeed()
        let changes = (0..<2_500).map { number -> Change in
            let id = Int.random(in: 1...40, using: &generator)
            return switch Int.random(in: 0..<8, using: &generator) {
            case 0: .insert("P", id, ["x": .string("\(number)")])
            case 1: .insert("Q", id, ["x": .string("\(number)")])
            case 2, 3: .update("P", id, ["x": .string("\(number)")])
            case 4, 5: .update("P", id, ["n": .integer(Int64(number) * 30)])
            default: .update("P", id, ["z": .string("\(number)"), "x": "z"])
            }
        }
        _ = try upgraded(from: (Self.old, Self.new), after: [], changes)
    }

    @Test func `of two one-to-one owners in one transaction the greater ID stands`() throws {
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
                #expect(try replica.values("D", .sample(9))?["owner"] == .reference(.sample(2)))
            }
        }
    }
}
