/// A pause of the import, as the store records it.
struct ImportPause: Hashable, Sendable {
    /// The Unix milliseconds at which the pause began.
    let since: UInt64
    /// The Unix milliseconds at which it ends; nil until an administrator resumes the import.
    let until: UInt64?

    init(since: UInt64, until: UInt64?) {
        self.since = since
        self.until = until
    }

    /// Reads ``text``; nil for any other text.
    init?(_ text: String) {
        let parts = text.split(separator: " ")
        guard parts.count == 2, let since = UInt64(parts[0]) else { return nil }
        self.init(since: since, until: UInt64(parts[1]))
    }

    /// `<since> <until or ->`.
    var text: String { "\(since) \(until.map(String.init) ?? "-")" }

    func isOver(at wall: UInt64) -> Bool { until.map { $0 <= wall } ?? false }

    func problem(at wall: UInt64) -> SyncProblem {
        let rest = until.map { " for another \(($0 > wall ? $0 - wall : 0) / 1000) s" } ?? ""
        return SyncProblem(
            .paused,
            since: since,
            detail: "Importing is paused\(rest).",
            hint: "To go on: tributaryctl resume"
        )
    }
}
