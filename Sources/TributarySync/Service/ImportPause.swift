import TributaryChanges

/// A pause of the import, as the store records it.
struct ImportPause: Hashable, Sendable {
    let since: WallTime
    /// The time at which it ends; nil until an administrator resumes the import.
    let until: WallTime?

    init(since: WallTime, until: WallTime?) {
        self.since = since
        self.until = until
    }

    /// Reads ``text``; nil for any other text.
    init?(_ text: String) {
        let parts = text.split(separator: " ")
        guard parts.count == 2, let since = UInt64(parts[0]) else { return nil }
        self.init(
            since: WallTime(milliseconds: since),
            until: UInt64(parts[1]).map(WallTime.init(milliseconds:))
        )
    }

    /// `<since> <until or ->`, both in Unix milliseconds.
    var text: String { "\(since.milliseconds) \(until.map { String($0.milliseconds) } ?? "-")" }

    func isOver(at wall: WallTime) -> Bool { until.map { $0 <= wall } ?? false }

    func problem(at wall: WallTime) -> SyncProblem {
        let rest = until.map { " for another \($0.duration(since: wall).components.seconds) s" } ?? ""
        return SyncProblem(
            .paused,
            since: since,
            detail: "Importing is paused\(rest).",
            hint: "To go on: tributaryctl resume"
        )
    }
}
