import StoreTestSupport
import TestSupport
import Testing
import TransactionLog
import TributaryChanges
import TributaryModel
import TributaryStore

/// What a model does not know supersedes nothing, and nothing supersedes it: after an upgrade a store that began with a
/// baseline shows what one shows that has read the segments, and one that had the newer model from the beginning.
@Suite struct DeferredBaselineTests {
    private static let old = "  P: {attributes: {x: String?}}\n"
    private static let new = """
          P:
            attributes:
              {x: String?, most: {type: Integer 64, optional: true, merge: max}, \
        least: {type: Integer 64, optional: true, merge: min}, count: {type: Integer 64, default: 0, merge: counter}, \
        sum: {type: Double, default: 0, merge: counter}, text: String?}
            relationships:
              {one: {to: P?}, many: {to: P, many: true}, list: {to: P, many: true, ordered: true, inverse: listed}, \
        listed: {to: P, many: true, inverse: list}, owner: {to: P?, inverse: owned}, \
        owned: {to: P, many: true, ordered: true, inverse: owner}, mate: {to: P?, inverse: mated}, \
        mated: {to: P?, inverse: mate}}
          Q: {parent: P, attributes: {q: {type: Integer 64, optional: true, merge: max}}}
          N: {attributes: {most: {type: Integer 64, optional: true, merge: max}, text: String?}}

        """

    private let old: Model
    private let new: Model

    init() throws {
        old = try Model(yaml: "version: \"1\"\nentities:\n" + Self.old)
        new = try Model(yaml: "version: \"2\"\nentities:\n" + Self.new).succeeding([old])
    }

    /// A store that has applied some transactions joins a baseline of more of them, and applies the rest.
    ///
    /// Its model is the older or the newer one, and so is that of the baseline. Then it is upgraded.
    private func expectOneAnswer(
        _ transactions: [ForeignTransaction],
        from start: Int = 0,
        joining count: Int,
        _ comment: Comment
    ) throws {
        let fresh = try Replica(new)
        try fresh.apply(transactions)
        let expected = try fresh.dump()
        for (maker, reader) in [(old, old), (old, new), (new, old), (new, new)] {
            let (made, joined, relayed) = (try Replica(maker), try Replica(reader), try Replica(reader))
            try made.apply(Array(transactions.prefix(count)))
            try joined.apply(Array(transactions.prefix(start)))
            try joined.join(made)
            try joined.apply(Array(transactions.dropFirst(count)))
            // What came with a baseline goes on with another one.
            try relayed.join(joined)
            if maker.version == reader.version {
                try made.apply(Array(transactions.dropFirst(count)))
                #expect(try joined.digest() == made.digest(), comment)
            }
            for replica in [joined, relayed] {
                if reader.version == "1" { try replica.reopen(new) }
                let found = try replica.dump()
                let message = """
                    \(comment), \(maker.version) \(reader.version) \(replica === relayed), after \(start):
                    \(Replica.difference(found, expected))
                    \(transactions)
                    """
                #expect(found == expected, "\(message)")
            }
        }
    }

    @Test func `what no to-one relationship can hold supersedes no reference`() throws {
        let texts = ["{relationships: {one: {to: P?}}}", "{}", "{relationships: {one: {to: P?}}}"]
        var models: [Model] = []
        for (index, text) in texts.enumerated() {
            let model = try Model(yaml: "version: \"\(index + 1)\"\nentities:\n  P: \(text)\n")
            models.append(model.succeeding(models))
        }
        let found = transactions(
            [.insert("P", 1), .insert("P", 2)],
            [.update("P", 1, ["one": .to(2)])],
            [.update("P", 1, ["one": "no identifier"])]
        )
        let (made, joined, fresh) = (try Replica(models[1]), try Replica(models[1]), try Replica(models[2]))
        for replica in [made, fresh] { try replica.apply(found) }
        try joined.join(made)
        try joined.reopen(models[2])
        #expect(try joined.values("P", .sample(1))?["one"] == .reference(.sample(2)))
        #expect(try joined.dump() == fresh.dump())
    }

    @Test func `of values that do not fit each may fit a later model`() throws {
        let models = try ["Integer 16", "Integer 32"].enumerated().map { index, type in
            try Model(yaml: "version: \"\(index + 1)\"\nentities:\n  P: {attributes: {x: \(type)?}}\n")
        }
        let later = models[1].succeeding([models[0]])
        let found = transactions(
            [.insert("P", 1, ["x": 5])],
            [.update("P", 1, ["x": 70_000])],
            [.update("P", 1, ["x": "a"])]
        )
        let (made, joined, fresh) = (try Replica(models[0]), try Replica(models[0]), try Replica(later))
        for replica in [made, fresh] { try replica.apply(found) }
        try joined.join(made)
        try joined.reopen(later)
        #expect(try joined.dump() == fresh.dump())
        #expect(try joined.values("P", .sample(1))?["x"] == .integer(70_000))
    }

    @Test func `what a hostile header names is bounded`() throws {
        let joined = try Replica(old)
        let long = String(repeating: "x", count: 1 << 20)
        let other = BaselineRules(["P": ["P": ["x": long]]])
        let many = BaselineRules(["Z": ["Z": Dictionary(uniqueKeysWithValues: (0..<9).map { ("\($0)\(long)", "max") })]]
        )
        for (rules, text) in [(other, "'P.x' with the merge rule 'xxx"), (many, "9437")] {
            let error = #expect(throws: BaselineJoinError.self) {
                try joined.store.write { write in
                    _ = try write.joinBaseline(
                        BaselineHeader(model: "3", modelHash: "0", rules: rules, writerCount: 1),
                        writers: [BaselineWriter(id: .sample(9), sequence: 1, clock: .init(rawValue: 1), seen: [:])],
                        transactionCount: 0
                    ) { nil }
                }
            }
            let description = try #require(error).description
            #expect(description.contains(text) && description.utf8.count < 500, "\(description.prefix(1_000))")
        }
        #expect(try joined.store.read { try $0.mergeState.digest().vector.isEmpty })
    }

    private func transactions(_ changes: [Change]...) -> [ForeignTransaction] {
        changes.enumerated().map {
            ForeignTransaction(1, UInt64($0.offset + 1), clock: UInt64($0.offset + 1), $0.element)
        }
    }

    @Test(arguments: ["most", "least"]) func `an extreme is not the last value`(_ name: String) throws {
        let found = transactions(
            [.insert("P", 1, ["x": "a"])],
            [.update("P", 1, [name: 1])],
            [.update("P", 1, [name: 9]), .update("P", 1, [name: -4])],
            [.update("P", 1, [name: 2])]
        )
        for count in 1...4 { try expectOneAnswer(found, joining: count, "\(name) \(count)") }
    }

    @Test func `an extreme and a count outlive a deletion`() throws {
        let found = transactions(
            [.insert("P", 1, ["most": 9, "count": 5])],
            [.update("P", 1, ["most": 3, "count": .increment(2)])],
            [.delete("P", 1)],
            [.insert("P", 1, ["most": 1, "count": 7])]
        )
        for count in 1...4 { try expectOneAnswer(found, joining: count, "\(count)") }
    }

    @Test func `a link that is kept with the other end outlives a deletion`() throws {
        let found = transactions(
            [.insert("P", 1), .insert("P", 2)],
            [.link("P", 1, "owned", [2])],
            [.delete("P", 1)],
            [.insert("P", 1)]
        )
        for count in 2...4 { try expectOneAnswer(found, joining: count, "\(count)") }
    }

    @Test func randomHistoriesHaveOneAnswer() throws {
        var generator = SeededGenerator.printingSeed()
        for round in 0..<20 {
            let found = history(&generator)
            let count = Int.random(in: 0...found.count, using: &generator)
            let start = Int.random(in: 0...count, using: &generator)
            let comment: Comment = "seed \(generator.seed), round \(round), joining \(count)"
            try expectOneAnswer(found, from: start, joining: count, comment)
        }
    }

    /// Transactions of three writers with few objects; clocks are of a coarse grid, so that versions tie.
    private func history(_ generator: inout SeededGenerator) -> [ForeignTransaction] {
        var (clocks, sequences): ([UInt64], [UInt64]) = ([0, 0, 0], [0, 0, 0])
        return (0..<Int.random(in: 1...12, using: &generator)).map { _ in
            let writer = Int.random(in: 0...2, using: &generator)
            clocks[writer] += UInt64.random(in: 1...3, using: &generator)
            sequences[writer] += 1
            let changes = (0..<Int.random(in: 1...3, using: &generator)).map { _ in change(&generator) }
            return ForeignTransaction(writer + 1, sequences[writer], clock: clocks[writer], changes)
        }
    }

    private func change(_ generator: inout SeededGenerator) -> Change {
        func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
        let entity = ["P", "P", "P", "Q", "N"][number(0...4)]
        let id = ["P": number(1...3), "Q": number(4...5)][entity] ?? number(11...12)
        func writes(_ isInsert: Bool) -> [PropertyWrite] {
            var values: [String: JSONValue] = [:]
            func amount(_ value: JSONValue) -> JSONValue {
                isInsert && number(0...1) == 0 ? value : .object([.init(key: "increment", value: value)])
            }
            for _ in 0...number(0...2) {
                switch number(0...8) {
                case 0: values["x"] = .string("t\(number(0...99))")
                case 1: values["most"] = .integer(Int64(number(-9...9)))
                case 2: values["least"] = .integer(Int64(number(-9...9)))
                case 3: values["count"] = amount(.integer(Int64(number(1...9))))
                case 4: values["sum"] = amount(number(0...1) == 0 ? .integer(Int64(number(1...9))) : .double(0.5))
                case 5: values["text"] = .string("t\(number(0...99))")
                case 6: values["q"] = .integer(Int64(number(-9...9)))
                default:
                    let name = ["one", "owner", "mate", "mated"][number(0...3)]
                    values[name] = .string(UniqueID.sample(number(1...5)).description)
                }
            }
            if entity != "Q" { values["q"] = nil }
            if entity == "N" { values = values.filter { ["most", "text"].contains($0.key) } }
            return values.sorted { $0.key < $1.key }.map { PropertyWrite(name: $0.key, value: $0.value) }
        }
        switch number(0...9) {
        case 0...2: return Change(entity: entity, id: .sample(id), operation: .insert(writes(true)))
        case 3...6: return Change(entity: entity, id: .sample(id), operation: .update(writes(false)))
        case 7: return .delete(entity, id)
        default:
            let (source, entity) = entity == "N" ? (number(1...3), "P") : (id, entity)
            let name = ["many", "owned", "list", "listed"][number(0...3)]
            let targets: [UniqueID] = [.sample(number(1...5))]
            let positions = number(0...1) == 0 ? ["p\(number(0...9))"] : nil
            let operation: Change.Operation =
                number(0...2) == 0
                ? .unlink(to: name, ids: targets) : .link(to: name, ids: targets, positions: positions)
            return Change(entity: entity, id: .sample(source), operation: operation)
        }
    }

    @Test func `a property with another rule is named`() throws {
        let texts = [
            ("{type: Integer 64, optional: true, merge: min}", "max", "min"), ("Integer 64?", "max", "latest"),
        ]
        for (definition, theirs, own) in texts {
            let other = try Model(
                yaml: "version: \"1b\"\nentities:\n  P: {attributes: {x: String?, most: \(definition)}}\n"
            )
            let (made, joined) = (try Replica(new), try Replica(other))
            try made.apply(transactions([.insert("P", 1, ["most": 1])]))
            let before = try joined.dump()
            #expect(throws: BaselineJoinError.otherRule("P", "most", theirs: theirs, own: own, model: "2")) {
                try joined.join(made)
            }
            #expect(try joined.dump() == before)
            // So it is in a store that has taken it over from such a baseline without a property of its own.
            let between = try Replica(old)
            try between.join(made)
            #expect(throws: BaselineJoinError.self) { try joined.join(between) }
        }
    }
}
