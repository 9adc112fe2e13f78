/// Hints that could not be followed up because the system refused to open or to list something: kept for another try.
struct FolderRetry {
    /// Short enough for a trouble of a moment, long enough for one that stays.
    static let interval = Duration.seconds(5)

    private var hints = FolderHints()
    /// When they are to be followed up; nil when there are none.
    private(set) var due: Duration?

    mutating func schedule(_ hints: FolderHints, now: Duration) {
        guard !hints.isEmpty else { return }
        self.hints.formUnion(hints)
        due = due ?? now + FolderRetry.interval
    }

    /// The hints once their time has come; until then none.
    mutating func drainDue(now: Duration) -> FolderHints {
        guard let due, due <= now else { return FolderHints() }
        defer { self = FolderRetry() }
        return hints
    }
}
