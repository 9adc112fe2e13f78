import GRDB
import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges
import TributaryModel

@testable import TributaryStore

/// The owner of a one-to-one target among many objects that are inserted, updated and deleted.
@Suite struct OneToOneOwnerTests {
    private static let people = 1...7
    private static let desks = 11...12

    /// A replica with so many owners of one desk.
    private func owners(_ count: Int) throws -> Replica {
        let replica = try Replica(try DeskModel.make())
        let people = (1...count).map { Change.insert("A", $0, ["desk": .to(0)]) }
        try replica.apply(ForeignTransaction(1, 1, clock: 1, [.insert("D", 0)] + people))
        return replica
    }

    /// The instructions of SQLite's virtual machine for removing the shown owner repeatedly, by deletions or by
    /// updates.
    private func instructions(_ count: Int, isDeletion: Bool) throws -> Int {
        let replica = try owners(count)
        let instructions = try replica.steps(every: 1) { write in
            for number in 1...(count - 1) {
                let owner = count + 1 - number
                let change: Change = isDeletion ? .delete("A", owner) : .update("A", owner, ["desk": nil])
                try write.apply(ForeignTransaction(1, UInt64(number) + 1, clock: 2, change))
            }
        }
        #expect(try replica.values("D", .sample(0))?["owner"] == .reference(.sample(1)))
        return instructions
    }

    @Test(arguments: [true, false]) func costOfTheNextOwnerIsLinear(isDeletion: Bool) throws {
        let one = try instructions(200, isDeletion: isDeletion)
        let four = try instructions(800, isDeletion: isDeletion)
        // Four times as many owners take four times as many instructions, and a little more for deeper trees; the fault
        // took sixteen times.
        #expect(four <= 6 * one, "\(one) instructions for 200 owners, \(four) for 800")
    }

    @Test func aTargetThatComesAgainReadsNoOwnersThatLose() throws {
        func instructions(_ count: Int) throws -> Int {
            let replica = try owners(count)
            // The first search gives each owner its rank.
            try replica.apply(ForeignTransaction(1, 2, clock: 2, .delete("D", 0), .insert("D", 0)))
            let instructions = try replica.steps(every: 1) { write in
                for number in 1...20 as ClosedRange<UInt64> {
                    let change: Change = number % 2 == 1 ? .delete("D", 0) : .insert("D", 0)
                    try write.apply(ForeignTransaction(1, number + 2, clock: number + 2, change))
                }
            }
            #expect(try replica.values("D", .sample(0))?["owner"] == .reference(.sample(count)))
            return instructions
        }
        let (few, many) = (try instructions(100), try instructions(800))
        // Each of ten insertions may look up the targets with references, five instructions a row, but reads no rows.
        #expect(many - few <= 10 * 700 * 6, "\(few) instructions with 100 owners, \(many) with 800")
    }

    @Test func randomSchedulesShowWhatTheRulesSay() throws {
        var generator = SeededGenerator.printingSeed()
        let model = try DeskModel.make()
        for round in LongProofs.rounds(8) {
            let schedule = RandomSchedule(writers: 3, each: 10, using: &generator) { Self.change(&$0) }
            var digests: Set<String> = []
            for _ in 0..<2 {
                let replica = try Replica(model)
                var reference = OwnersReference()
                var rest = schedule.interleaving(using: &generator)[...]
                while !rest.isEmpty {
                    let batch = Array(rest.prefix(Int.random(in: 1...6, using: &generator)))
                    rest = rest.dropFirst(batch.count)
                    try replica.apply(together: batch, slice: Int.random(in: 1...5, using: &generator))
                    for transaction in batch { reference.apply(transaction) }
                    if Int.random(in: 0..<8, using: &generator) == 0 {
                        try replica.reopen(model)
                    }
                    guard try expectEqual(replica, reference, "seed \(generator.seed), round \(round)") else { return }
                }
                digests.insert(try replica.digest())
            }
            #expect(digests.count == 1, "seed \(generator.seed), round \(round)")
        }
    }

    private func expectEqual(_ replica: Replica, _ reference: OwnersReference, _ comment: String) throws -> Bool {
        for (entity, ids, property, shown) in [
            ("A", Self.people, "desk", reference.desks), ("D", Self.desks, "owner", reference.owners),
        ] {
            for id in ids.map(UniqueID.sample) {
                let found = try replica.values(entity, id)?[property]
                let expected = shown[id].map { $0.map(PropertyValue.reference) ?? .null }
                #expect(found == expected, "\(comment): \(property) of \(id)")
                if found != expected { return false }
            }
        }
        return true
    }

    private static func change(_ generator: inout SeededGenerator) -> Change {
        let person = Int.random(in: people, using: &generator)
        let desk = Int.random(in: desks, using: &generator)
        return switch Int.random(in: 0..<12, using: &generator) {
        case 0...3: .insert("A", person, ["desk": .to(desk)])
        case 4: .insert("A", person)
        case 5, 6: .update("A", person, ["desk": .to(desk)])
        case 7: .update("A", person, ["desk": nil])
        case 8, 9: .delete("A", person)
        case 10: .insert("D", desk, Bool.random(using: &generator) ? [:] : ["owner": .to(person)])
        default: Bool.random(using: &generator) ? .delete("D", desk) : .update("D", desk, ["owner": .to(person)])
        }
    }
}
