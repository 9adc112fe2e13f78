import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges
import TributaryModel

@testable import TributaryStore

extension Replica {
    convenience init() throws { try self.init(SampleModel.make()) }

    func reopen() throws { try reopen(SampleModel.make()) }

    /// Applies transactions of other writers in one SQLite transaction, with plain rows allowed to wait.
    @discardableResult
    func apply(waiting transactions: [ForeignTransaction]) throws -> [CommittedTransaction] {
        try store.write { write in
            try write.letRowsWait()
            return try transactions.map { transaction in
                try write.beginImport(writer: transaction.writer, header: transaction.header)
                for piece in RowRun.pieces(of: transaction.changes) {
                    switch piece {
                    case .run(let run): try write.apply(run)
                    case .change(let change): try write.apply([change])
                    }
                }
                return try write.endImport()
            }
        }
    }

    /// Joins a baseline with one writer.
    @discardableResult
    func join(_ writer: BaselineWriter, transactions: Int, _ entries: [BaselineEntry]) throws -> CommittedTransaction? {
        try store.write { write in
            var rest = entries[...]
            return try write.joinBaseline(
                BaselineHeader(model: store.model.version, modelHash: store.model.versionHash, writerCount: 1),
                writers: [writer],
                transactionCount: transactions
            ) { rest.popFirst() }
        }
    }

    /// The number of rows of a table, or of what else may follow FROM.
    func count(_ source: String) throws -> Int {
        try #require(try PlainSQL(path: path).value("SELECT count(*) FROM \(source)").flatMap { Int($0) })
    }

    /// The numbers of the objects in a to-many relationship, in its order.
    func related(_ entity: String, _ id: Int, _ name: String) throws -> [Int] {
        let owner = try #require(store.model.entity(named: entity))
        let index = try #require(owner.propertyIndex(named: name))
        let found = try store.read { try $0.related(to: .sample(id), entity: owner, propertyIndex: index) }
        return found.compactMap { object in (1...99).first { object.uniqueID == .sample($0) } }
    }

    /// The local transactions from a sequence on, each as its lines in the log.
    func localTransactions(from first: UInt64 = 1) throws -> [String] {
        try store.read { reader in
            var found: [String] = []
            try reader.outbox.localTransactions(of: reader.writers.own().id, from: first) { transaction in
                found.append(String(decoding: transaction.lines, as: UTF8.self))
                return true
            }
            return found
        }
    }

    /// How often SQLite's virtual machine reports progress in a write: once after so many instructions.
    func steps(
        every instructions: Int32 = WriteTransaction.instructionsBetweenSteps,
        _ body: (WriteTransaction) throws -> Void
    ) throws -> Int {
        var steps = 0
        try store.write { write in
            try write.reportingProgress(every: instructions, { steps += 1 }) { try body(write) }
        }
        return steps
    }
}

extension [ForeignTransaction] {
    /// Every order of the transactions.
    var permutations: [[ForeignTransaction]] {
        guard let first else { return [[]] }
        return Array(dropFirst()).permutations.flatMap { rest in
            (0...rest.count).map { Array(rest[..<$0]) + [first] + Array(rest[$0...]) }
        }
    }

    /// Every order in which those of each writer are in sequence.
    var permutationsInSequence: [[ForeignTransaction]] {
        permutations.filter { order in
            Dictionary(grouping: order, by: \.writer).values.allSatisfy { own in
                zip(own, own.dropFirst()).allSatisfy { $0.header.sequence < $1.header.sequence }
            }
        }
    }

    /// The transactions in random order, with those of each writer in sequence.
    func interleaved(using generator: inout SeededGenerator) -> [ForeignTransaction] {
        var rest = Dictionary(grouping: self, by: \.writer).mapValues { $0[...] }
        var result: [ForeignTransaction] = []
        while let writer = rest.keys.sorted().randomElement(using: &generator) {
            if let next = rest[writer]?.popFirst() { result.append(next) }
            if rest[writer]?.isEmpty ?? true { rest[writer] = nil }
        }
        return result
    }
}
