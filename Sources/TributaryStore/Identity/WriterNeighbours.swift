import TributaryChanges

/// Chooses the identifier of a new writer that keeps the order of equal clocks.
///
/// Versions with equal clocks are ordered by their writers. A transaction that is issued again under another writer must
/// not change its place among those, because the losing values are not in the store any more.
struct WriterNeighbours {
    private var lower: UniqueID?
    private var upper: UniqueID?
    /// The number of identifiers that are tried with each size of the random part.
    private static let attempts = 32

    init(of former: UniqueID, among others: [UniqueID]) {
        lower = others.filter { $0 < former }.max()
        upper = others.filter { $0 > former }.min()
    }

    func contains(_ id: UniqueID) -> Bool { (lower.map { $0 < id } ?? true) && (upper.map { id < $0 } ?? true) }

    /// Returns `proposed` where it has the place of `former`, else an identifier near `former`.
    func identifier(_ proposed: UniqueID, near former: UniqueID, random: () -> UInt64) -> UniqueID {
        if contains(proposed) { return proposed }
        // The random part is made smaller until the identifier fits between the neighbours.
        for bits in stride(from: 62, to: 0, by: -1) {
            let mask: UInt64 = (1 << UInt64(bits)) - 1
            for _ in 0..<WriterNeighbours.attempts {
                let candidate = UniqueID(high: former.high, low: former.low & ~mask | random() & mask)
                if candidate != former, contains(candidate) { return candidate }
            }
        }
        return proposed
    }
}
