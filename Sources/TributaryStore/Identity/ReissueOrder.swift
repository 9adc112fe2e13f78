import TributaryChanges

/// Decides whether transactions may get lesser clocks when they are issued again under another writer.
///
/// A new clock must not move a transaction before one that stays as it is and that it has overwritten, or that has lost
/// against it: the values that lost are not in the store any more.
struct ReissueOrder {
    struct Reissue {
        var number: Int64
        var clock: HybridClock
        var newClock: HybridClock
        /// The greatest clock that it has overwritten, of transactions that stay; nil when it is not known.
        var least: HybridClock?
    }

    /// A transaction that stays, with a clock that is ahead.
    struct Staying: Hashable {
        var number: Int64
        var writer: UniqueID
        var sequence: UInt64
        var clock: HybridClock
    }

    private let staying: [Staying]
    /// For each of them, the one with the least clock among it and those after it.
    private let leastFrom: [Staying]

    init(_ staying: [Staying]) {
        self.staying = staying
        var least: [Staying] = []
        for entry in staying.reversed() {
            least.append(least.last.map { $0.clock < entry.clock ? $0 : entry } ?? entry)
        }
        leastFrom = least.reversed()
    }

    /// The first transaction that hinders new clocks; nil when there is none.
    ///
    /// O(n log m) for the transactions that are issued again and those that stay.
    func obstacle(_ reissues: [Reissue]) -> Staying? {
        for reissue in reissues where reissue.newClock != reissue.clock {
            // Nobody knows what it has overwritten, so that it may be any of them.
            let since = reissue.least == nil ? Int64.min : reissue.number
            if let later = least(after: since), later.clock <= reissue.clock { return later }
            if let least = reissue.least, least >= reissue.newClock {
                return staying.first { $0.clock == least } ?? staying.first
            }
        }
        return nil
    }

    /// The one with the least clock after a number.
    private func least(after number: Int64) -> Staying? {
        var (low, high) = (0, staying.count)
        while low < high {
            let middle = (low + high) / 2
            if staying[middle].number > number { high = middle } else { low = middle + 1 }
        }
        return low < leastFrom.count ? leastFrom[low] : nil
    }
}
