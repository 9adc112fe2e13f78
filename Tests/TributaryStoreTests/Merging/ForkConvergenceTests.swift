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

/// Random transactions of writers of which the first is forked: after a common stem its clones go on by themselves, with
/// clocks from a coarse grid, so that their versions are equal again and again.
struct ForkedSchedule {
    /// The transactions of the forked writer before the fork.
    private(set) var stem: [ForeignTransaction] = []
    /// The transactions of each clone after it.
    private(set) var clones: [[ForeignTransaction]] = []
    private var others: [[ForeignTransaction]] = []

    /// A transaction with the clone that has made it; nil for the stem and for other writers.
    struct Entry {
        var transaction: ForeignTransaction
        var clone: Int?
    }

    init(clones count: Int, stem length: Int, using generator: inout SeededGenerator) {
        var clock: UInt64 = 0
        func next(_ clock: inout UInt64, _ sequence: Int, _ generator: inout SeededGenerator) -> ForeignTransaction {
            clock += UInt64.random(in: 1...2, using: &generator)
            let changes = (0..<Int.random(in: 1...5, using: &generator)).map { _ in RandomSchedule.change(&generator) }
            // What a model does not know, and a deletion at an equal version, are an exception of the merge rules.
            return ForeignTransaction(
                1,
                UInt64(sequence),
                clock: clock,
                changes.filter { !RandomSchedule.isUnknown($0) }
            )
        }
        for sequence in 1...max(1, length) where length > 0 { stem.append(next(&clock, sequence, &generator)) }
        for _ in 0..<count {
            var (clock, own) = (clock, [ForeignTransaction]())
            for sequence in 1...Int.random(in: 1...4, using: &generator) {
                own.append(next(&clock, length + sequence, &generator))
            }
            clones.append(own)
        }
        let rest = RandomSchedule(writers: 3, each: 3, using: &generator)
        others = Array(rest.transactions.dropFirst())
    }

    /// All transactions in random order; a clone's ones after the stem.
    func interleaving(using generator: inout SeededGenerator) -> [Entry] {
        var lines = others.map { $0.map { Entry(transaction: $0) }[...] }
        lines.append(stem.map { Entry(transaction: $0) }[...])
        var waiting = clones.enumerated().map { clone, line in line.map { Entry(transaction: $0, clone: clone) }[...] }
        let stemIndex = lines.count - 1
        var result: [Entry] = []
        while true {
            if lines[stemIndex].isEmpty, !waiting.isEmpty {
                lines += waiting
                waiting = []
            }
            let open = lines.indices.filter { !lines[$0].isEmpty }
            guard let index = open.randomElement(using: &generator), let next = lines[index].popFirst() else {
                return result
            }
            result.append(next)
        }
    }

    /// Applies transactions in order: the clone that comes first, which `first` then names, goes on with the writer's
    /// first line.
    func apply(_ order: [Entry], to replica: Replica, slice: Int, first: inout Int?) throws {
        for entry in order {
            var branch = ""
            if let clone = entry.clone {
                first = first ?? clone
                if clone != first { branch = "branch \(clone)" }
            }
            try replica.store.write { write in
                let (writer, header) = (entry.transaction.writer, entry.transaction.header)
                if !branch.isEmpty { try write.beginBranch(branch, of: writer, after: UInt64(stem.count)) }
                try write.beginImport(writer: writer, branch: branch, header: header)
                var rest = entry.transaction.changes[...]
                while !rest.isEmpty {
                    try write.apply(Array(rest.prefix(slice)))
                    rest = rest.dropFirst(slice)
                }
                _ = try write.endImport()
            }
        }
    }
}
