import GRDB
import TributaryChanges

/// For imported transactions, the sequences up to which their writers had acknowledged other writers.
///
/// `tributary_seen` has the sequences after the last transaction of each writer. Rows that wait are merged after later
/// transactions of their writer have been recorded there, so the sequences are kept with the transaction from which
/// they hold. Writers are the rows of `tributary_writer`. It belongs to one write transaction.
final class SeenSequences {
    private struct Pair: Hashable {
        var writer: Int64
        var other: Int64
    }

    private struct Step {
        /// The number of the transaction.
        var number: Int64
        var sequence: UInt64
    }

    private let select: BoundStatement
    private let exists: BoundStatement
    /// For each pair, the sequences in the order of the transactions; the first step is the sequence in the table.
    private var steps: [Pair: [Step]] = [:]
    /// For each writer, the number of its first transaction that acknowledges any; nil when there is none yet.
    private var firsts: [Int64: Int64?] = [:]

    init(_ db: Database) throws {
        select = try BoundStatement(db, "SELECT sequence FROM tributary_seen WHERE writer = ?1 AND other = ?2")
        exists = try BoundStatement(db, "SELECT 1 FROM tributary_seen WHERE writer = ?1 LIMIT 1")
    }

    /// Records what a transaction acknowledges, before `tributary_seen` has it.
    ///
    /// The cost is one look at each acknowledged writer.
    func record(_ seen: [(other: Int64, sequence: UInt64)], by writer: Int64, number: Int64) throws {
        guard !seen.isEmpty else { return }
        if try first(writer) == nil { firsts[writer] = number }
        for (other, sequence) in seen {
            let pair = Pair(writer: writer, other: other)
            guard try sequence > steps(of: pair).last?.sequence ?? 0 else { continue }
            steps[pair, default: []].append(Step(number: number, sequence: sequence))
        }
    }

    /// The sequence of another writer that a writer had acknowledged by its transaction.
    ///
    /// - Parameters:
    ///   - other: The row of the writer that is acknowledged.
    ///   - writer: The row of the writer that acknowledges.
    ///   - number: The number of the transaction.
    /// - Returns: the sequence; nil when the writer had never acknowledged any writer's.
    /// - Throws: ``StoreError`` when the store cannot be read.
    func sequence(of other: Int64, seenBy writer: Int64, at number: Int64) throws -> UInt64? {
        guard let first = try first(writer), first <= number else { return nil }
        let known = try steps(of: Pair(writer: writer, other: other))
        var (low, high) = (0, known.count)
        while low < high {
            let middle = (low + high) / 2
            if known[middle].number <= number { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? 0 : known[low - 1].sequence
    }

    private func first(_ writer: Int64) throws -> Int64? {
        if let known = firsts[writer] { return known }
        exists.bind(1, writer)
        let found = try exists.first { _ in Int64(0) }
        firsts[writer] = .some(found)
        return found
    }

    private func steps(of pair: Pair) throws -> [Step] {
        if let known = steps[pair] { return known }
        select.bind(1, pair.writer)
        select.bind(2, pair.other)
        let sequence = try select.first { UInt64(bitPattern: $0.integer(0)) }
        let made = [Step(number: 0, sequence: sequence ?? 0)]
        steps[pair] = made
        return made
    }
}
