import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges

@testable import TributaryStore

/// Stores that apply the branches of a forked writer end in one state, whichever branch comes first.
@Suite struct ForkConvergenceTests {
    private func list(_ order: [ForkedSchedule.Entry]) -> String {
        order.map { "\($0.clone.map { "clone \($0) " } ?? "")\($0.transaction)" }.joined(separator: "\n")
    }

    @Test func `random branches end in one state, whatever the order and the slices`() throws {
        var generator = SeededGenerator.fromEnvironment()
        let seed = generator.seed
        print("TRIBUTARY_SEED=\(seed)")
        for round in LongProofs.rounds(25) {
            let clones = Int.random(in: 2...3, using: &generator)
            let stem = Int.random(in: 0...2, using: &generator)
            let schedule = ForkedSchedule(clones: clones, stem: stem, using: &generator)
            var known: (dump: String, digest: String, order: [ForkedSchedule.Entry])?
            for _ in 0..<3 {
                let order = schedule.interleaving(using: &generator)
                let replica = try Replica()
                var first: Int?
                let slice = Int.random(in: 1...5, using: &generator)
                try schedule.apply(order, to: replica, slice: slice, first: &first)
                let (dump, digest) = (try replica.dump(), try replica.digest())
                guard let other = known else {
                    known = (dump, digest, order)
                    continue
                }
                if other.dump != dump {
                    let lines = Replica.difference(other.dump, dump)
                    Issue.record(
                        "seed \(seed), round \(round)\n\(lines)\nfirst:\n\(list(other.order))\nthen:\n\(list(order))"
                    )
                    return
                }
                #expect(other.digest == digest, "seed \(seed), round \(round)")
            }
        }
    }

    /// A model that knows all from the start, and one that learns of it between two transactions.
    @Test func `a store whose model grows among branches ends like one that had it from the start`() throws {
        var generator = SeededGenerator.fromEnvironment()
        let seed = generator.seed
        print("TRIBUTARY_SEED=\(seed)")
        for round in LongProofs.rounds(12) {
            let schedule = ForkedSchedule(clones: 2, stem: 1, using: &generator)
            let order = schedule.interleaving(using: &generator)
            let other = schedule.interleaving(using: &generator)
            let grown = try Replica(SampleModel.makeGrown())
            var first: Int?
            try schedule.apply(order, to: grown, slice: 100, first: &first)
            let growing = try Replica()
            let cut = Int.random(in: 1...other.count, using: &generator)
            first = nil
            try schedule.apply(Array(other[..<cut]), to: growing, slice: 100, first: &first)
            try growing.reopen(SampleModel.makeGrown())
            try schedule.apply(Array(other[cut...]), to: growing, slice: 100, first: &first)
            let (one, two) = (try grown.dump(), try growing.dump())
            if one != two {
                Issue.record(
                    "seed \(seed), round \(round), at \(cut)\n\(Replica.difference(one, two))\n\(list(order))\nthen\n\(list(other))"
                )
                return
            }
            #expect(try grown.digest() == growing.digest(), "seed \(seed), round \(round)")
        }
    }

    /// The last write of each transaction meets the clone's, not those that it replaces itself.
    @Test func `only the outcome of a transaction meets a clone's writes`() throws {
        let first = ForeignTransaction(
            1,
            1,
            clock: 7,
            [
                .insert("Person", 1, ["name": "b"]), .update("Person", 1, ["name": "d"]),
                .update("Person", 1, ["name": "a"]),
            ]
        )
        let second = ForeignTransaction(1, 1, clock: 7, [.insert("Person", 1, ["name": "c"])])
        for order in [[first, second], [second, first]] {
            let replica = try Replica()
            try replica.apply(order[0])
            try replica.store.write { write in
                try write.beginBranch("other", of: order[1].writer, after: 0)
                try write.beginImport(writer: order[1].writer, branch: "other", header: order[1].header)
                for change in order[1].changes { try write.apply([change]) }
                _ = try write.endImport()
            }
            #expect(try replica.values("Person", .sample(1))?["name"] == .string("c"))
        }
    }
}
