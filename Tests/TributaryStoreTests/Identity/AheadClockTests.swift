import GRDB
import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges
import TributaryModel

@testable import TributaryStore

/// Clocks that are ahead move those of local changes only where these overwrite what has them.
@Suite struct AheadClockTests {
    private static let limit = HybridClock.last(of: Replica.now.later(by: .seconds(3600)))
    private static let lead: UInt64 = 9_000_000
    private static let ahead = HybridClock(milliseconds: Replica.now.milliseconds + lead)

    private static func isAhead(_ clock: HybridClock) -> Bool { clock > limit }

    /// A replica that has applied an ahead transaction with these changes, after one with the right clock.
    private func makeReplica(before: [Change] = [], ahead: [Change]) throws -> Replica {
        let replica = try Replica()
        try replica.apply(ForeignTransaction(1, 1, clock: 1, before))
        var transaction = ForeignTransaction(1, 2, clock: 0, ahead)
        transaction.header.clock = Self.ahead
        try replica.apply(transaction)
        return replica
    }

    private func isAhead(_ replica: Replica) throws -> Bool {
        Self.isAhead(try #require(try ExportedWriter.outbox(of: replica).last).header.clock)
    }

    @Test func `a save of something else has the clock of the machine`() throws {
        let replica = try makeReplica(before: [.insert("Tag", 40)], ahead: [.insert("Tag", 41), .insert("Person", 1)])
        let saves: [Change] = [
            .insert("Tag", 42), .update("Tag", 40, ["isOn": .boolean(true)]), .insert("Project", 31),
            .delete("Tag", 40),
            .link("Project", 31, "people", [1]), .insert("Passport", 21, ["owner": .to(1)]),
        ]
        for save in saves {
            try replica.commit(save)
            #expect(try !isAhead(replica), "\(save)")
        }
        // An acknowledgement has no changes, and joined saves have one clock.
        try replica.commit()
        #expect(try !isAhead(replica))
        let clocks = try ExportedWriter.outbox(of: replica).map(\.header.clock)
        #expect(zip(clocks, clocks.dropFirst()).allSatisfy { $0 < $1 })
        #expect(try replica.store.read { try $0.writers.own().clock } == clocks.last)
    }

    @Test func `a transaction was written no later than it was applied`() throws {
        let replica = try makeReplica(before: [.insert("Tag", 40)], ahead: [.insert("Tag", 41)])
        let found = try replica.store.read { try $0.history.times(after: 0, limit: 10) }
        #expect(found.map(\.time) == [HybridClock(milliseconds: 1_600_000_001_000).wallTime, Replica.now])
    }

    @Test func `a batch has the clock of a save`() throws {
        let replica = try makeReplica(before: [.insert("Tag", 40)], ahead: [.insert("Tag", 41)])
        let terms = BatchTerms(author: nil, contextName: nil, collision: .refuse, listsIDs: false)
        var rows: [[String: PropertyValue]] = [["key": .uuid(.sample(9)), "isOn": .boolean(true)]]
        _ = try replica.store.write { write in
            try write.batches.insert(into: "Tag", terms: terms) { next in
                guard let row = rows.popLast() else { return true }
                next = row
                return false
            }
        }
        #expect(try !isAhead(replica))
        let tags = FetchQuery(entity: try #require(replica.store.model.entity(named: "Tag")))
        #expect(try replica.store.write { try $0.batches.delete(tags, terms: terms).count } == 3)
        #expect(try isAhead(replica))
    }

    @Test func `a save that overwrites what is ahead has a greater clock`() throws {
        let before: [Change] = [.insert("Tag", 40), .insert("Person", 1), .insert("Person", 2), .insert("Project", 31)]
        let cases: [(ahead: [Change], save: Change)] = [
            ([.update("Tag", 40, ["isOn": .boolean(true)])], .update("Tag", 40, ["isOn": .boolean(false)])),
            ([.insert("Tag", 41, ["isOn": .boolean(false)])], .update("Tag", 41, ["isOn": .boolean(true)])),
            ([.insert("Tag", 41)], .delete("Tag", 41)),
            ([.delete("Tag", 40)], .insert("Tag", 40)),
            ([.link("Project", 31, "people", [1])], .unlink("Project", 31, "people", [1])),
            ([.link("Project", 31, "people", [1])], .delete("Person", 1)),
            (
                [.insert("Passport", 21), .update("Person", 1, ["passport": .to(21)])],
                .update("Person", 2, ["passport": .to(21)])
            ),
        ]
        for (ahead, save) in cases {
            let replica = try makeReplica(before: before, ahead: ahead)
            try replica.commit(save)
            let clock = try ExportedWriter.outbox(of: replica).last?.header.clock ?? .zero
            #expect(clock > Self.ahead, "\(ahead), \(save)")
            // Nothing that overwrites it gets a lesser clock later.
            try replica.store.write { _ = try $0.restamp(after: Self.limit) }
            let restamped = try ExportedWriter.outbox(of: replica).last?.header.clock ?? .zero
            #expect(restamped > Self.ahead && restamped <= clock, "\(ahead), \(save)")
        }
    }

    /// A replica that has published the insert of tag 41 with a clock that is ahead.
    private func makePublishedAhead() throws -> Replica {
        let replica = try makeReplica(ahead: [])
        try replica.commit(.insert("Tag", 41, ["isOn": .boolean(false)]))
        // As if the wall clock had been wrong.
        try replica.store.write { write in
            let clock = Int64(HybridClock(milliseconds: Replica.now.milliseconds + Self.lead + 1).rawValue)
            for table in ["tributary_transaction", "tributary_writer"] {
                let condition = table == "tributary_writer" ? "is_self = 1" : "sequence = 1 AND writer = 1"
                try write.db.execute(sql: "UPDATE \(table) SET clock = \(clock) WHERE \(condition)")
            }
        }
        var exported = ExportedWriter()
        try exported.publish(replica)
        return replica
    }

    @Test func `a save that overwrites a published one that is ahead keeps its greater clock`() throws {
        let replica = try makePublishedAhead()
        try replica.commit(.update("Tag", 41, ["isOn": .boolean(true)]))
        try replica.store.write { _ = try $0.restamp(after: Self.limit) }
        #expect(try isAhead(replica))
    }

    /// The clocks of one writer rise, so that the store goes on as a fresh one.
    @Test func `a store whose own clock was ahead goes on with the clock of the machine`() throws {
        let replica = try makeReplica(ahead: [.insert("Tag", 41, ["isOn": .boolean(false)])])
        func own() throws -> WriterRecord { try replica.store.read { try $0.writers.own() } }
        func isAhead() throws -> Bool { try Self.isAhead(own().clock) }
        try replica.commit(.update("Tag", 41, ["isOn": .boolean(true)]))
        let former = try own()
        #expect(try isAhead())
        try replica.commit(.insert("Tag", 42))
        let fresh = try own()
        #expect(try !isAhead() && fresh.id != former.id && fresh.sequence == 1)
        #expect(fresh.incarnation.after == Incarnation.Predecessor(writer: former.id, sequence: 1))
        // What overwrites the value makes the clock ahead again; another writer is not taken so soon.
        try replica.commit(.update("Tag", 41, ["isOn": .boolean(false)]))
        #expect(try isAhead())
        try replica.commit(.insert("Tag", 43))
        #expect(try isAhead() && own().id == fresh.id)
    }

    /// A writer without transactions, which have all moved to a fresh writer, is no copy of the store.
    @Test func `the clocks of a store with an empty former writer can be set again`() throws {
        let replica = try makeReplica(ahead: [.insert("Tag", 41, ["isOn": .boolean(false)])])
        func own() throws -> WriterRecord { try replica.store.read { try $0.writers.own() } }
        func restamp() throws -> Restamped { try replica.store.write { try $0.restamp(after: Self.limit) } }
        try replica.commit(.insert("Tag", 42))
        let first = try own()
        try replica.commit(.update("Tag", 41, ["isOn": .boolean(true)]))
        let second = try restamp().new
        #expect(first.id != second)
        try replica.commit(.insert("Tag", 43))
        let third = try own().id
        #expect(third != second)
        #expect(try restamp().count == 1)
        #expect(try replica.store.read { try $0.writers.all().first { $0.id == second }?.sequence } == 0)
        #expect(try restamp().count == 1)
    }

    @Test func `no store takes the clock of a save after the year 10888`() throws {
        let replica = try Replica()
        var transaction = ForeignTransaction(1, 1, clock: 0, [.insert("Tag", 40)])
        transaction.header.clock = HybridClock(rawValue: HybridClock.firstRefused.rawValue - 1)
        try replica.apply(transaction)
        #expect(throws: StoreError.invalidClock(.firstRefused)) { try replica.commit(.delete("Tag", 40)) }
        try replica.commit(.insert("Tag", 41))
        #expect(try !isAhead(replica))
    }

    /// A peer applies the same transactions in any order, and decides by their versions alone.
    @Test func `a peer has the same state, whatever clocks are set aside`() throws {
        var generator = SeededGenerator.printingSeed()
        var (counts, rounds, round) = (Counts(), LongProofs.rounds(25), 0)
        // Few schedules restamp anything.
        while rounds.next() != nil || counts.restamped == 0 && round < 1_000 {
            round += 1
            let replica = try Replica()
            let (exported, foreign) = try play(on: replica, &counts, &generator)
            let peer = try Replica()
            try peer.apply((foreign + exported).interleaved(using: &generator))
            let (first, second) = (try replica.dump(), try peer.dump())
            guard first == second else {
                let lines = second.split(separator: "\n").difference(from: first.split(separator: "\n"))
                Issue.record("seed \(generator.seed), round \(round)\n\(lines)\n\(foreign)\n\(exported)")
                return
            }
        }
        #expect(counts.right > 0 && counts.ahead > 0 && counts.restamped > 0, "\(counts)")
    }

    private struct Counts {
        var (right, ahead, restamped) = (0, 0, 0)
    }

    /// Random saves, imports of which some are ahead, exports and new clocks.
    private func play(
        on replica: Replica,
        _ counts: inout Counts,
        _ generator: inout SeededGenerator
    ) throws -> (exported: [ForeignTransaction], foreign: [ForeignTransaction]) {
        var exported = ExportedWriter()
        var foreign: [ForeignTransaction] = []
        for step in 0..<Int.random(in: 8...24, using: &generator) {
            let changes = (0..<Int.random(in: 1...3, using: &generator)).map { _ in RandomSchedule.change(&generator) }
            switch Int.random(in: 0..<10, using: &generator) {
            case 0: try exported.publish(replica, limit: Int.random(in: 1...3, using: &generator))
            case 1:
                counts.restamped += try replica.store.write { try $0.restamp(after: Self.limit).count }
            case 2, 3, 4:
                let writer = Int.random(in: 1...2, using: &generator)
                let sequence = UInt64(foreign.count { $0.writer == ForeignTransaction(writer, 1, clock: 0).writer }) + 1
                var transaction = ForeignTransaction(writer, sequence, clock: 0, changes)
                let time = Replica.now.milliseconds + (writer == 1 ? Self.lead : 0) + UInt64(step)
                transaction.header.clock = HybridClock(milliseconds: time)
                foreign.append(transaction)
                try replica.apply(transaction)
            default:
                let count = try ExportedWriter.outbox(of: replica).count
                // The store refuses what its model or its state does not allow.
                try? replica.store.write { _ = try $0.commit(LocalTransaction(changes: changes)) }
                let outbox = try ExportedWriter.outbox(of: replica)
                guard outbox.count > count, let clock = outbox.last?.header.clock else { continue }
                if Self.isAhead(clock) { counts.ahead += 1 } else { counts.right += 1 }
            }
        }
        try exported.publish(replica)
        return (exported.transactions, foreign)
    }
}
