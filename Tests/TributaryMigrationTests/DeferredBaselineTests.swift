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
        text: String?}
            relationships:
              {one: {to: P?}, many: {to: P, many: true}, owner: {to: P?, inverse: owned}, \
        owned: {to: P, many: true, inverse: owner}}
          Q: {parent: P, attributes: {q: {type: Integer 64, optional: true, merge: max}}}
          N: {attributes: {most: {type: Integer 64, optional: true, merge: max}, text: String?}}

        """

    private let old: Model
    private let new: Model

    init() throws {
        old = try Model(yaml: "version: \"1\"\nentities:\n" + Self.old)
        new = try Model(yaml: "version: \"2\"\nentities:\n" + Self.new).succeeding([old])
    }

    /// Stores of the older model read the transactions, or begin with a baseline after some of them; then all are upgraded.
    private func expectOneAnswer(_ transactions: [ForeignTransaction], joining count: Int, _ comment: Comment) throws {
        let (reading, joined, fresh) = (try Replica(old), try Replica(old), try Replica(new))
        try reading.apply(Array(transactions.prefix(count)))
        try Self.join(joined, to: reading)
        try reading.apply(Array(transactions.dropFirst(count)))
        try joined.apply(Array(transactions.dropFirst(count)))
        try fresh.apply(transactions)
        #expect(try joined.digest() == reading.digest(), comment)
        for replica in [reading, joined] { try replica.reopen(new) }
        let expected = try fresh.dump()
        for (name, replica) in [("reading", reading), ("joined", joined)] {
            let found = try replica.dump()
            let message = "\(comment), \(name):\n\(Replica.difference(found, expected))\n\(transactions)"
            #expect(found == expected, "\(message)")
        }
    }

    static func join(_ replica: Replica, to other: Replica) throws {
        var bytes: [UInt8] = []
        _ = try other.store.read { try $0.baseline.forEachLine { bytes += $0 } }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        let source = MemorySegment(SegmentText.baseline(lines))
        let baseline = try VerifiedBaseline.verify(source)
        let reader = BaselineReader(source, baseline)
        _ = try replica.store.write { write in
            try write.joinBaseline(
                baseline.header,
                writers: baseline.writers,
                transactionCount: baseline.end.counts.transactions
            ) { try reader.next() }
        }
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
        var generator = SeededGenerator.fromEnvironment()
        print("TRIBUTARY_SEED=\(generator.seed)")
        for round in 0..<60 {
            let found = history(&generator)
            let count = Int.random(in: 0...found.count, using: &generator)
            try expectOneAnswer(found, joining: count, "seed \(generator.seed), round \(round), joining \(count)")
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
        let entity = ["P", "P", "P", "N"][number(0...3)]
        let id = entity == "N" ? number(11...12) : number(1...3)
        func writes(_ isInsert: Bool) -> [PropertyWrite] {
            var values: [String: JSONValue] = [:]
            for _ in 0...number(0...2) {
                switch number(0...6) {
                case 0: values["x"] = .string("t\(number(0...99))")
                case 1: values["most"] = .integer(Int64(number(-9...9)))
                case 2: values["least"] = .integer(Int64(number(-9...9)))
                case 3:
                    let amount = JSONValue.integer(Int64(number(1...9)))
                    values["count"] =
                        isInsert && number(0...1) == 0 ? amount : .object([.init(key: "increment", value: amount)])
                case 4: values["text"] = .string("t\(number(0...99))")
                case 5: values["one"] = .string(UniqueID.sample(number(1...3)).description)
                default: values["owner"] = .string(UniqueID.sample(number(1...3)).description)
                }
            }
            if entity == "N" { values = values.filter { ["most", "text"].contains($0.key) } }
            return values.sorted { $0.key < $1.key }.map { PropertyWrite(name: $0.key, value: $0.value) }
        }
        switch number(0...9) {
        case 0...2: return Change(entity: entity, id: .sample(id), operation: .insert(writes(true)))
        case 3...6: return Change(entity: entity, id: .sample(id), operation: .update(writes(false)))
        case 7: return .delete(entity, id)
        default:
            let name = ["many", "owned"][number(0...1)]
            let targets = [number(1...3)]
            return number(0...2) == 0
                ? .unlink("P", number(1...3), name, targets) : .link("P", number(1...3), name, targets)
        }
    }
}
