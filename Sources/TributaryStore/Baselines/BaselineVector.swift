import GRDB
import TributaryChanges

/// The writers of which a baseline has more than the store has applied.
struct BaselineVector {
    struct Ahead {
        var writer: BaselineWriter
        var row: Int64
        /// The last transaction before all those that the store may lack.
        ///
        /// Of a forked writer the store may have applied later ones: their effects are merged once more, which changes
        /// nothing.
        var applied: UInt64
        var lastNumber: Int64 = 0
        /// The segments of a forked writer that the store has with the baseline.
        var additions: [BaselineFork.Addition] = []
        /// The rows of the branches that the store has already.
        var branchRows: [Int64] = []
    }

    private(set) var ahead: [UniqueID: Ahead] = [:]

    /// Whether two transactions of the baseline, or one of it and one of the store, may have equal versions.
    var hasClones: Bool { ahead.values.contains { $0.writer.fork != nil } }

    /// Compares the writers of a baseline with those of the store; O(n) for the segments of forked ones.
    ///
    /// - Throws: ``BaselineJoinError`` `ownWriterAhead`, and `otherBranches` when neither the store nor the baseline has
    ///   all branches of a writer; ``StoreError``.
    init(_ writers: [BaselineWriter], _ table: WriterTable, _ reader: Reader) throws {
        let records = Dictionary(try reader.writers.all().map { ($0.id, $0) }) { first, _ in first }
        for writer in writers {
            let record = records[writer.id]
            let applied = record?.sequence ?? 0
            let additions = try BaselineVector.additions(writer, record, reader)
            guard !additions.isEmpty || writer.fork == nil && writer.sequence > applied else { continue }
            // Branches that the store has already have the transactions of a baseline without a fork.
            if additions.isEmpty, record?.branches.isEmpty == false { continue }
            guard writer.id != table.own else {
                throw BaselineJoinError.ownWriterAhead(sequence: writer.sequence, known: applied)
            }
            ahead[writer.id] = Ahead(
                writer: writer,
                row: try table.position(of: writer.id).id,
                applied: min(applied, writer.fork?.start ?? applied),
                additions: additions,
                branchRows: record?.branches.map(\.row) ?? []
            )
        }
    }

    /// The segments of a forked writer that the store takes from a baseline; empty when it has all transactions of it, or
    /// when neither knows of a fork.
    private static func additions(
        _ writer: BaselineWriter,
        _ record: WriterRecord?,
        _ reader: Reader
    ) throws -> [BaselineFork.Addition] {
        let branches = record?.branches ?? []
        guard writer.fork != nil || !branches.isEmpty else { return [] }
        let main = BaselineFork.Line(branch: "", sequence: record?.sequence ?? 0, hash: record?.lastSegmentHash)
        let segments =
            try reader.writers.segments(writer: writer.id)
            + (branches.isEmpty ? [] : reader.writers.branchSegments(writer: writer.id))
        let recorded = Set(segments.map(\.sha256))
        guard let fork = writer.fork else {
            let start = branches.map(\.start).min() ?? 0
            guard writer.sequence <= start || writer.hash.map(recorded.contains) ?? false else {
                throw BaselineJoinError.otherBranches(writer.id)
            }
            return []
        }
        let lines = branches.map { BaselineFork.Line(branch: $0.firstHash, sequence: $0.sequence, hash: $0.lastHash) }
        guard let additions = fork.additions(to: [main] + lines, recorded: recorded) else {
            throw BaselineJoinError.otherBranches(writer.id)
        }
        return additions
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
            if entry.writer.fork == nil {
                try table.move(entry.writer.id, to: entry.writer.sequence, clock: entry.writer.clock)
                try table.setHash(entry.writer.hash, row: entry.row)
            }
            for addition in entry.additions { try table.add(addition, to: entry.writer.id, clock: entry.writer.clock) }
        }
        for entry in ahead.values { try table.addSeen(by: entry.writer.id, entry.writer.seen) }
    }
}
