import Foundation
import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges
import TributaryModel

@testable import TributaryStore

/// Any order of arrival gives equal whole stores, including the values that readers see.
@Suite struct ConvergenceTests {
    @Test func `random schedules end in one state, whatever the order and the slices`() throws {
        var generator = SeededGenerator.fromEnvironment()
        let seed = generator.seed
        print("TRIBUTARY_SEED=\(seed)")
        for round in LongProofs.rounds(12) {
            let schedule = RandomSchedule(writers: 3, each: 4, using: &generator)
            var first: (dump: String, digest: String, order: [ForeignTransaction])?
            for _ in 0..<3 {
                let order = schedule.interleaving(using: &generator)
                let slice = Int.random(in: 1...5, using: &generator)
                let replica = try Replica()
                try replica.apply(together: order, slice: slice)
                let (dump, digest) = (try replica.dump(), try replica.digest())
                guard let known = first else {
                    first = (dump, digest, order)
                    continue
                }
                let where_ = "seed \(seed), round \(round), slices of \(slice)"
                if known.dump != dump {
                    let lines = Replica.difference(known.dump, dump)
                    Issue.record("\(where_)\n\(lines)\nfirst:\n\(list(known.order))\nthen:\n\(list(order))")
                    return
                }
                #expect(known.digest == digest, "\(where_)")
                try expectConsistent(replica, where_)
            }
        }
    }

    @Test func `a store whose model grows on the way ends like one that had it from the start`() throws {
        var generator = SeededGenerator.fromEnvironment()
        let seed = generator.seed
        print("TRIBUTARY_SEED=\(seed)")
        for round in LongProofs.rounds(12) {
            let schedule = RandomSchedule(writers: 3, each: 4, using: &generator)
            let order = schedule.interleaving(using: &generator)
            let grown = try Replica(SampleModel.makeGrown())
            try grown.apply(together: order)
            let growing = try Replica()
            let cut = Int.random(in: 1...order.count, using: &generator)
            try growing.apply(together: Array(order[..<cut]))
            try growing.reopen(SampleModel.makeGrown())
            try growing.apply(together: Array(order[cut...]))
            let (first, second) = (try grown.dump(), try growing.dump())
            if first != second {
                Issue.record(
                    "seed \(seed), round \(round), at \(cut)\n\(Replica.difference(first, second))\n\(list(order))"
                )
                return
            }
            #expect(try grown.digest() == growing.digest())
        }
    }

    private func list(_ order: [ForeignTransaction]) -> String { order.map(\.description).joined(separator: "\n") }

    /// Expects that the values visible to plain SQL are consistent, not only equal.
    private func expectConsistent(_ replica: Replica, _ comment: String) throws {
        let broken = try replica.store.read { reader in
            try [
                """
                SELECT count(*) FROM Person p 
                WHERE department IS NOT NULL AND department NOT IN (SELECT _id FROM Department)
                OR boss IS NOT NULL AND boss NOT IN (SELECT _id FROM Person)
                """,
                "SELECT count(*) FROM Passport WHERE owner IS NOT NULL AND owner NOT IN (SELECT _id FROM Person)",
                "SELECT count(*) FROM Passport a JOIN Passport b ON a.owner = b.owner AND a._id < b._id",
                "SELECT count(*) FROM Person p WHERE passport IS NOT (SELECT _id FROM Passport WHERE owner = p._id)",
                """
                SELECT count(*) FROM Person_projects WHERE _source NOT IN (SELECT _id FROM Person)
                OR _target NOT IN (SELECT _id FROM Project)
                """,
                """
                SELECT count(*) FROM tributary_object o JOIN tributary_catalogue c
                ON c.kind = 'entity' AND c.name = 'Person' AND c.code = o.root WHERE o.id IN (SELECT _id FROM Person)
                """,
            ].map { sql in try BoundStatement(reader.database, unkept: sql).first { $0.integer(0) } ?? -1 }
        }
        #expect(broken == [0, 0, 0, 0, 0, 0], "\(comment)")
    }
}
