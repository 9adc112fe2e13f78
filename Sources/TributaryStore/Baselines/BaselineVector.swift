import GRDB
import TributaryChanges

/// The writers of which a baseline has more than the store has applied.
struct BaselineVector {
    struct Ahead {
        var writer: BaselineWriter
        var row: Int64
        /// The last transaction that the store has applied.
        var applied: UInt64
        var lastNumber: Int64 = 0
    }

    private(set) var ahead: [UniqueID: Ahead] = [:]
    /// The writers with what their stores have acknowledged.
    private let acknowledging: [BaselineWriter]

    /// Compares the writers of a baseline with those of the store.
    init(_ writers: [BaselineWriter], _ table: WriterTable) throws {
        acknowledging = writers.filter { !$0.seen.isEmpty }
        for writer in writers {
            let position = try table.position(of: writer.id)
            guard writer.sequence > position.sequence else { continue }
            ahead[writer.id] = Ahead(writer: writer, row: position.id, applied: position.sequence)
        }
    }

    /// Gives the last transaction of each writer a number, for the versions and totals that refer to it.
    mutating func numberLastTransactions(
        from first: Int64,
        _ insert: (Int64, Ahead, UInt64, HybridClock) throws -> Void
    ) throws {
        var number = first
        for writer in ahead.keys.sorted() {
            guard var entry = ahead[writer] else { continue }
            entry.lastNumber = number
            ahead[writer] = entry
            try insert(number, entry, entry.writer.sequence, entry.writer.clock)
            number += 1
        }
    }

    func move(_ table: WriterTable) throws {
        for entry in ahead.values {
            try table.move(entry.writer.id, to: entry.writer.sequence, clock: entry.writer.clock)
        }
        for entry in ahead.values { try table.meet(entry.writer.id, entry.writer.incarnation) }
        for writer in acknowledging { try table.addSeen(by: writer.id, writer.seen) }
    }
}
