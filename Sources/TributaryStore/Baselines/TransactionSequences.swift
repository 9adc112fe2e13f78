import GRDB
import TributaryChanges

/// Looks up the sequences of the store's transactions; the size of the cache is bounded.
final class TransactionSequences {
    private let select: BoundStatement
    private var known: [Int64: UInt64] = [:]
    private static let limit = 100_000

    init(_ db: Database) throws {
        select = try BoundStatement(db, "SELECT sequence FROM tributary_transaction WHERE number = ?1")
    }

    /// The sequence of a transaction among those of its writer; 0 for a transaction of this store alone.
    func sequence(of number: Int64) throws -> UInt64 {
        if let found = known[number] { return found }
        select.bind(1, number)
        let found = try select.first { UInt64(bitPattern: $0.integer(0)) } ?? 0
        if known.count >= TransactionSequences.limit { known.removeAll(keepingCapacity: true) }
        known[number] = found
        return found
    }
}
