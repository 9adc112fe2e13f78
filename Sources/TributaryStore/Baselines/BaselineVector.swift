import GRDB
import TributaryChanges

/// The writers of which a baseline has more than the store has applied.
struct BaselineVector {
    /// A writer that is ahead in the baseline.
    struct Ahead {
        var writer: BaselineWriter
        /// The writer's row.
        var row: Int64
        /// The last transaction that the store has applied.
        var applied: UInt64
        /// The number of the writer's last transaction.
        var lastNumber: Int64 = 0
    }

    private(set) var ahead: [UniqueID: Ahead] = [:]

    /// - Throws: ``BaselineJoinError`` `ownWriterAhead`.
    init(_ writers: [BaselineWriter], _ table: WriterTable) throws {
        for writer in writers {
            let applied = try table.appliedSequence(of: writer.id)
            guard writer.sequence > applied else { continue }
            guard writer.id != table.own else {
                throw BaselineJoinError.ownWriterAhead(sequence: writer.sequence, known: applied)
            }
            let row = try table.position(of: writer.id).id
            ahead[writer.id] = Ahead(writer: writer, row: row, applied: applied)
        }
    }

    /// Gives the last transaction of each writer a number, for the versions and totals that refer to it.
    ///
    /// - Parameters:
    ///   - first: The number of the first of them.
    ///   - insert: Inserts a transaction with a number.
    /// - Throws: What `insert` throws.
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

    /// Moves the writers' positions to those of the baseline.
    func move(_ table: WriterTable) throws {
        for entry in ahead.values {
            try table.move(entry.writer.id, to: entry.writer.sequence, clock: entry.writer.clock)
            try table.setHash(entry.writer.hash, row: entry.row)
        }
        for entry in ahead.values { try table.addSeen(by: entry.writer.id, entry.writer.seen) }
    }
}
