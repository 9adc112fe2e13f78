import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges
import TributaryModel

@testable import TributaryStore

/// Pairs of many-to-many relationships with shadows at their ends, which deletions of the ends supersede.
@Suite struct ShadowLinkTests {
    private static func makeModel() throws -> Model {
        try Model(
            yaml: """
                version: "1"
                entities:
                  Person:
                    unique: [email]
                    attributes: {email: String?}
                    relationships:
                      friends: {to: Person, many: true, inverse: friends}
                      projects: {to: Project, many: true, inverse: members}
                      queue: {to: Project, many: true, ordered: true, inverse: waiting}
                  Project:
                    relationships:
                      members: {to: Person, many: true, inverse: projects}
                      waiting: {to: Person, many: true, inverse: queue}
                """
        )
    }

    // MARK: Superseded links

    /// The link comes first, then a deletion of its end in one transaction with an insert, then another insert.
    private static let superseded = [
        ForeignTransaction(1, 1, clock: 1, .insert("Person", 1, ["email": "a"]), .insert("Person", 3)),
        ForeignTransaction(
            2,
            1,
            clock: 2,
            .insert("Project", 41),
            .link("Person", 2, "friends", [1, 3]),
            .link("Person", 2, "projects", [41]),
            .link("Person", 2, "queue", [41], at: ["m"])
        ),
        ForeignTransaction(3, 1, clock: 3, .delete("Person", 2), .insert("Person", 2, ["email": "a"])),
        ForeignTransaction(4, 1, clock: 4, .insert("Person", 2, ["email": "a"])),
    ]

    @Test func `a link that a deletion of a shadow supersedes is not shown with the representative`() throws {
        for order in Self.superseded.permutations {
            let replica = try Replica(Self.makeModel())
            try replica.apply(order)
            #expect(try replica.values("Person", .sample(1)) != nil, "\(order)")
            #expect(try replica.values("Person", .sample(2)) == nil, "\(order)")
            for (person, name) in [(1, "friends"), (3, "friends"), (1, "projects"), (1, "queue")] {
                #expect(try replica.related("Person", person, name) == [], "\(name) of \(person) after \(order)")
            }
        }
    }

    @Test func `a link that follows the deletion of a shadow in its transaction is shown with the representative`()
        throws
    {
        let links: [Change] = [.link("Person", 2, "friends", [3]), .link("Project", 41, "members", [2])]
        var transactions = Self.superseded
        transactions[2].changes += links
        for order in transactions.permutations {
            let replica = try Replica(Self.makeModel())
            try replica.apply(order)
            #expect(try replica.related("Person", 1, "friends") == [3], "\(order)")
            #expect(try replica.related("Person", 3, "friends") == [1], "\(order)")
            #expect(try replica.related("Person", 1, "projects") == [41], "\(order)")
            #expect(try replica.related("Person", 1, "queue") == [], "\(order)")
        }
    }

    // MARK: Random schedules

    @Test(.timeLimit(.minutes(30)))
    func `random links, deletions and inserts show what the pure rule says, in whatever order they come`() throws {
        var generator = SeededGenerator.printingSeed()
        var shown = 0
        for round in LongProofs.rounds(12) {
            let transactions = (1...3).flatMap { writer in line(writer, &generator) }
            let rule = ShadowLinkRule(transactions)
            shown += rule.substituteCount
            for _ in 0..<3 {
                let replica = try Replica(Self.makeModel())
                let order = transactions.interleaved(using: &generator)
                let slice = Int.random(in: 1...5, using: &generator)
                for transaction in order { try replica.apply(transaction, slice: slice) }
                for (person, name) in (1...4).flatMap({ id in ["friends", "projects", "queue"].map { (id, $0) } })
                where rule.isVisible(person) {
                    let expected = rule.related(person, name)
                    guard try replica.related("Person", person, name) != expected else { continue }
                    Issue.record(
                        """
                        seed \(generator.seed), round \(round), slices of \(slice): \(name) of \(person) is not \
                        \(expected) after
                        \(order.map(\.description).joined(separator: "\n"))
                        """
                    )
                    return
                }
            }
        }
        #expect(shown > 0 || !LongProofs.isOn, "no link was shown with a substitute")
    }

    private func line(_ writer: Int, _ generator: inout SeededGenerator) -> [ForeignTransaction] {
        var clock: UInt64 = 0
        return (1...5).map { sequence in
            clock += UInt64.random(in: 1...2, using: &generator)
            let changes = (0..<Int.random(in: 1...4, using: &generator)).map { _ in change(&generator) }
            return ForeignTransaction(writer, UInt64(sequence), clock: clock, changes)
        }
    }

    private func change(_ generator: inout SeededGenerator) -> Change {
        func pick(_ ids: ClosedRange<Int>) -> Int { Int.random(in: ids, using: &generator) }
        let email: JSONValue = ["a", "a", "b", nil][pick(0...3)]
        return switch pick(0...13) {
        case 0...3: .insert("Person", pick(1...4), ["email": email])
        case 4: .update("Person", pick(1...4), ["email": email])
        case 5...6: .delete("Person", pick(1...4))
        case 7: .insert("Project", pick(41...42))
        case 8: .delete("Project", pick(41...42))
        case 9...10: .link("Person", pick(1...4), "friends", [pick(1...4)])
        case 11: .link("Person", pick(1...4), "projects", [pick(41...42)])
        case 12: .link("Person", pick(1...4), "queue", [pick(41...42)], at: [["m", "n", "o"][pick(0...2)]])
        default: unlink(pick(0...2), pick(1...4), pick(1...4), pick(41...42))
        }
    }

    private func unlink(_ choice: Int, _ person: Int, _ friend: Int, _ project: Int) -> Change {
        switch choice {
        case 0: .unlink("Person", person, "friends", [friend])
        case 1: .unlink("Person", person, "projects", [project])
        default: .unlink("Person", person, "queue", [project])
        }
    }
}

/// The pairs that many-to-many relationships show, by the pure rule over all transactions.
///
/// It plays the transactions in the order of their versions; a deletion removes all pairs of an object. A pair with
/// shadows is shown with their representatives, at the least position, unless the representatives were linked
/// themselves.
struct ShadowLinkRule {
    private struct Pair: Hashable {
        var name: String
        var source: UniqueID
        var target: UniqueID

        init(_ name: String, _ source: UniqueID, _ target: UniqueID) {
            let isSwapped = name == "friends" && target < source
            self.name = name
            self.source = isSwapped ? target : source
            self.target = isSwapped ? source : target
        }
    }

    private struct Object {
        var inserted: Version?
        var email = JSONValue.null
    }

    private var objects: [UniqueID: Object] = [:]
    private var pairs: [Pair: String] = [:]
    private var representatives: [UniqueID: UniqueID] = [:]
    private var shown: [Pair: String] = [:]
    /// The number of pairs that are shown for others.
    private(set) var substituteCount = 0

    init(_ transactions: [ForeignTransaction]) {
        let ordered = transactions.map { (Version(clock: $0.header.clock, writer: $0.writer), $0.changes) }
        for (version, changes) in ordered.sorted(by: { $0.0 < $1.0 }) {
            for change in changes { play(change, version) }
        }
        let holders = objects.compactMap { id, object in
            object.inserted.map { inserted in
                let keys = object.email == .null ? [] : [object.email.text]
                return UniqueKeys<String>.Holder(id: id, inserted: inserted, keys: keys)
            }
        }
        representatives = UniqueKeys(of: holders).representatives
        for (pair, position) in pairs { show(pair, position) }
    }

    private mutating func play(_ change: Change, _ version: Version) {
        switch change.operation {
        case .insert(let writes):
            objects[change.id, default: Object()].inserted = version
            for write in writes { objects[change.id]?.email = write.value }
        case .update(let writes):
            for write in writes { objects[change.id, default: Object()].email = write.value }
        case .delete:
            objects[change.id] = nil
            pairs = pairs.filter { $0.key.source != change.id && $0.key.target != change.id }
        case .link(let name, let ids, let positions):
            for (index, id) in ids.enumerated() { pairs[pair(name, change.id, id)] = positions?[index] ?? "" }
        case .unlink(let name, let ids):
            for id in ids { pairs[pair(name, change.id, id)] = nil }
        }
    }

    private func pair(_ name: String, _ own: UniqueID, _ other: UniqueID) -> Pair {
        name == "members" ? Pair("projects", other, own) : Pair(name, own, other)
    }

    private mutating func show(_ pair: Pair, _ position: String) {
        guard objects[pair.source]?.inserted != nil, objects[pair.target]?.inserted != nil else { return }
        let source = representatives[pair.source] ?? pair.source
        let substitute = Pair(pair.name, source, representatives[pair.target] ?? pair.target)
        guard substitute != pair else { return shown[pair] = position }
        guard pairs[substitute] == nil else { return }
        substituteCount += 1
        shown[substitute] = min(shown[substitute] ?? position, position)
    }

    func isVisible(_ person: Int) -> Bool {
        objects[.sample(person)]?.inserted != nil && representatives[.sample(person)] == nil
    }

    func related(_ person: Int, _ name: String) -> [Int] {
        let id = UniqueID.sample(person)
        let found = shown.filter { $0.key.name == name }.compactMap { pair, position -> (String, Int)? in
            let other = pair.source == id ? pair.target : pair.target == id && name == "friends" ? pair.source : nil
            return other.flatMap { other in (1...99).first { .sample($0) == other } }.map { (position, $0) }
        }
        return found.sorted { $0 < $1 }.map(\.1)
    }
}
