package import TributaryChanges
package import TributaryStore

/// The positions of the writers before a baseline is joined, which tell whose transactions come with it.
package struct PositionsBeforeJoin {
    private let positions: [UniqueID: UInt64]

    package init(_ transaction: WriteTransaction) throws {
        positions = Dictionary(try transaction.reader.writers.all().map { ($0.id, $0.sequence) }) { first, _ in first }
    }

    /// The position of a writer; 0 for an unknown one.
    subscript(writer: UniqueID) -> UInt64 { positions[writer] ?? 0 }

    /// Records what the store has of the writers from a joined baseline, without their segments.
    ///
    /// Of a forked writer the baseline names all segments past the fork.
    ///
    /// - Returns: The number of writers whose position has moved.
    @discardableResult
    package func recordJoined(_ writers: [BaselineWriter], in transaction: WriteTransaction) throws -> Int {
        let now = try PositionsBeforeJoin(transaction)
        let moved = writers.filter { now[$0.id] > self[$0.id] }
        for writer in moved {
            // Nothing is left of a segment of which a part was applied: a baseline ends with whole segments.
            try transaction.setSetting(StoreKeys.partial(writer.id), to: nil)
            let joined = writer.fork?.start ?? writer.sequence
            guard joined > self[writer.id] else { continue }
            let hash = writer.fork.map(\.stem) ?? writer.hash
            try transaction.setSetting(
                StoreKeys.joined(writer.id),
                to: JoinedPosition(sequence: joined, hash: hash).text
            )
        }
        return moved.count
    }
}
