import StoreTestSupport
import TestSupport
import TributaryChanges
import TributaryStore

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
            // What a model does not know of an object, and a deletion after it, are an exception of the merge rules.
            let kept = changes.enumerated().filter { index, change in
                !changes[(index + 1)...].contains { $0.id == change.id && $0.operation == .delete }
                    || !RandomSchedule.isUnknown(change)
            }
            return ForeignTransaction(1, UInt64(sequence), clock: clock, kept.map(\.element))
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
