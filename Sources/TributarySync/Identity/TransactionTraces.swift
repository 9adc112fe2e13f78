import TributaryChanges

/// The transactions of the store's own writer that a baseline shows, compared with the store's unpublished ones.
///
/// A writer's transactions are a chain: each was made in a store that had all earlier ones. A baseline that shows one of
/// them therefore has all before it, whether it shows these or not. A transaction that differs shows that another copy of
/// the store has published others from there on.
struct TransactionTraces: Hashable, Sendable {
    private let first: UInt64
    private let clocks: [HybridClock]
    /// The unpublished transactions that the baseline shows.
    private var same: Set<UInt64> = []
    /// The first sequence from which on the baseline has other transactions; nil when none is known.
    private var other: UInt64?

    init(first: UInt64, clocks: [HybridClock]) {
        self.first = first
        self.clocks = clocks
    }

    /// The last unpublished transaction that the baseline is known to have; nil when there is none.
    ///
    /// A transaction that is shown past a different one has the clock of an own one by chance, and proves nothing.
    var published: UInt64? { same.filter { $0 < other ?? .max }.max() }

    /// Whether an unpublished transaction has this sequence and this clock.
    func has(_ sequence: UInt64, _ clock: HybridClock) -> Bool { self.clock(of: sequence) == clock }

    /// Adds a transaction of the baseline; O(log n) for n unpublished transactions.
    ///
    /// - Parameters:
    ///   - sequence: Its sequence.
    ///   - clock: Its clock.
    ///   - isEqual: Whether the unpublished transaction with this sequence has all that the baseline shows of it; nil when
    ///     the baseline shows nothing but sequence and clock.
    mutating func add(_ sequence: UInt64, _ clock: HybridClock, isEqual: Bool?) {
        guard sequence >= first else { return }
        guard let known = self.clock(of: sequence) else {
            // A later transaction has a greater clock than each before it.
            if let index = clocks.partitioningIndex(where: { $0 >= clock }) { differ(from: first + UInt64(index)) }
            return
        }
        guard known == clock, isEqual ?? true else { return differ(from: sequence) }
        if isEqual == true { same.insert(sequence) }
    }

    private func clock(of sequence: UInt64) -> HybridClock? {
        guard sequence >= first, sequence - first < UInt64(clocks.count) else { return nil }
        return clocks[Int(sequence - first)]
    }

    private mutating func differ(from sequence: UInt64) { other = min(other ?? sequence, sequence) }
}

extension [HybridClock] {
    /// The index of the first element that satisfies a condition, as all after it do; nil when none does.
    fileprivate func partitioningIndex(where condition: (HybridClock) -> Bool) -> Int? {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if condition(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low < endIndex ? low : nil
    }
}
