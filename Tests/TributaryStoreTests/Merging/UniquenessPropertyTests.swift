import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges
import TributaryModel

@testable import TributaryStore

/// Random schedules with few keys and clocks that tie, held to the pure rule over the whole set of objects.
@Suite struct UniquenessPropertyTests {
    private struct Person {
        var inserted: Version?
        var email: JSONValue = .null
        var badge: JSONValue = .null
    }

    @Test(.timeLimit(.minutes(30)))
    func `stores show what the pure rule says, in whatever order and pieces the transactions come`() throws {
        var generator = SeededGenerator.printingSeed()
        var shadowCount = 0
        for round in LongProofs.rounds(15) {
            let transactions = schedule(&generator)
            let rule = expected(transactions)
            shadowCount += rule.representatives.count
            var states: Set<String> = []
            for _ in 0..<3 {
                let replica = try Replica.withUniqueKeys()
                let size = Int.random(in: 1...transactions.count, using: &generator)
                var rest = transactions.interleaved(using: &generator)[...]
                while !rest.isEmpty {
                    let piece = Array(rest.prefix(size))
                    if Bool.random(using: &generator) {
                        try replica.apply(waiting: piece)
                    } else {
                        try replica.apply(together: piece, slice: 2)
                    }
                    rest = rest.dropFirst(size)
                }
                let place = "seed \(generator.seed), round \(round)"
                for number in 1...6 {
                    let id = UniqueID.sample(number)
                    let isVisible = rule.live.contains(id) && rule.representatives[id] == nil
                    #expect(try (replica.values("Person", id) != nil) == isVisible, "\(place), person \(number)")
                    let shown = rule.live.contains(id) ? rule.representatives[id] ?? id : nil
                    let reference = shown.map(PropertyValue.reference) ?? .null
                    let task = try replica.values("Task", .sample(30 + number))
                    #expect(task?["person"] == reference, "\(place), task \(number)")
                }
                states.insert(try replica.dump())
            }
            guard states.count == 1 else {
                Issue.record("seed \(generator.seed), round \(round): \(states.count) states\n\(transactions)")
                return
            }
        }
        #expect(shadowCount > 5)
    }

    @Test func `rows that are inserted in groups end like changes that are merged one by one`() throws {
        let people = (1...64).map { Change.insert("Person", $0, ["email": .string("k\($0 * 7 % 40)"), "badge": nil]) }
        let older = (65...96).map { Change.insert("Person", $0, ["email": .string("k\($0 % 32)"), "badge": 1]) }
        let transactions = [ForeignTransaction(1, 1, clock: 2, people), ForeignTransaction(2, 1, clock: 1, older)]
        let (slow, fast) = (try Replica.withUniqueKeys(), try Replica.withUniqueKeys())
        for transaction in transactions { try slow.apply(transaction, slice: 1) }
        try fast.apply(waiting: transactions)
        #expect(try slow.dump() == fast.dump())
        #expect(try slow.digest() == fast.digest())
        let shadows = try [slow, fast].map { try $0.count("tributary_object WHERE representative IS NOT NULL") }
        #expect(shadows[0] == shadows[1] && shadows[1] > 30)
    }

    private func schedule(_ generator: inout SeededGenerator) -> [ForeignTransaction] {
        func email() -> JSONValue { ["a", "b", "c", nil].randomElement(using: &generator) ?? nil }
        func badge() -> JSONValue { [1, 2, nil].randomElement(using: &generator) ?? nil }
        let tasks = (1...6).map { Change.insert("Task", 30 + $0, ["person": .to($0)]) }
        var transactions = [ForeignTransaction(9, 1, clock: 1, tasks)]
        for writer in 1...3 {
            var clock: UInt64 = 0
            for sequence in 1...6 {
                clock += UInt64.random(in: 1...2, using: &generator)
                let changes = (0..<Int.random(in: 1...4, using: &generator)).map { _ -> Change in
                    let id = Int.random(in: 1...6, using: &generator)
                    return switch Int.random(in: 0...9, using: &generator) {
                    case 0...4: .insert("Person", id, ["email": email(), "badge": badge()])
                    case 5...6: .update("Person", id, ["email": email()])
                    case 7: .update("Person", id, ["badge": badge()])
                    default: .delete("Person", id)
                    }
                }
                transactions.append(ForeignTransaction(writer, UInt64(sequence), clock: clock, changes))
            }
        }
        return transactions
    }

    /// Plays the transactions in the order of their versions, and decides by ``UniqueKeys``.
    private func expected(
        _ transactions: [ForeignTransaction]
    ) -> (live: Set<UniqueID>, representatives: [UniqueID: UniqueID]) {
        var people: [UniqueID: Person] = [:]
        let ordered = transactions.map { (Version(clock: $0.header.clock, writer: $0.writer), $0.changes) }
        for (version, changes) in ordered.sorted(by: { $0.0 < $1.0 }) {
            for change in changes where change.entity == "Person" {
                switch change.operation {
                case .insert(let writes):
                    people[change.id, default: Person()].inserted = version
                    write(writes, &people[change.id, default: Person()])
                case .update(let writes): write(writes, &people[change.id, default: Person()])
                case .delete: people[change.id] = Person()
                case .link, .unlink: break
                }
            }
        }
        let holders = people.compactMap { id, person in
            person.inserted.map { inserted in
                let keys = [("email", person.email), ("badge", person.badge)].filter { $0.1 != .null }
                return UniqueKeys<String>.Holder(id: id, inserted: inserted, keys: keys.map { $0.0 + $0.1.text })
            }
        }
        return (Set(holders.map(\.id)), UniqueKeys(of: holders).representatives)
    }

    private func write(_ writes: [PropertyWrite], _ person: inout Person) {
        for write in writes {
            if write.name == "email" { person.email = write.value } else { person.badge = write.value }
        }
    }
}
