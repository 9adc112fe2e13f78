import TributaryChanges

struct ReissueClocks {
    /// The greatest clock that a transaction keeps; nil keeps all.
    let greatest: HybridClock?
    /// The greatest clock of other transactions that is not ahead.
    let floor: HybridClock
    let wall: WallTime

    /// Returns the new clocks in order; from the first clock on that is too great, all are drawn anew.
    ///
    /// The order of the transactions stays, and a new clock is greater than those of all other transactions that are not
    /// ahead.
    func clocks(for clocks: [HybridClock]) -> [HybridClock] {
        guard let greatest, let first = clocks.firstIndex(where: { $0 > greatest }) else { return clocks }
        var last = clocks[..<first].last.map { max($0, floor) } ?? floor
        return clocks[..<first]
            + clocks[first...].map { _ in
                last = last.next(at: wall)
                return last
            }
    }
}
