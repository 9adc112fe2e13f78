/// When the view context merges by itself: a quiet second after the last commit of others, and at most five seconds after
/// the first one.
struct OracleTimer {
    /// In milliseconds, as all times here.
    private(set) var now = 0
    private var first: Int?
    private var last = 0
    private var committed = 1

    var deadline: Int? { first.map { min($0 + 5_000, last + 1_000) } }

    /// Takes note of what was committed and merged in the last step.
    mutating func follow(_ oracle: Oracle) {
        let isBehind = oracle.contexts[ContextPlace.view].generation != oracle.committed.count - 1
        if !isBehind {
            first = nil
        } else if oracle.committed.count > committed {
            (first, last) = (first ?? now, now)
        }
        committed = oracle.committed.count
    }

    /// Returns whether the timer ends.
    mutating func advance(by milliseconds: Int) -> Bool {
        now += milliseconds
        return deadline.map { $0 <= now } ?? false
    }
}
