/// The hints of files and folders that the system refused to open or to list, kept for another attempt.
struct FolderRetry {
    /// The delay of the attempt: short for a momentary trouble, long enough for a lasting one.
    static let interval = Duration.seconds(5)

    private var hints = FolderHints()
    /// The time of the next attempt; nil when there are no hints.
    private(set) var due: Duration?

    mutating func schedule(_ hints: FolderHints, now: Duration) {
        guard !hints.isEmpty else { return }
        self.hints.formUnion(hints)
        due = due ?? now + FolderRetry.interval
    }

    /// Removes and returns the hints once they are due; empty until then.
    mutating func drainDue(now: Duration) -> FolderHints {
        guard let due, due <= now else { return FolderHints() }
        defer { self = FolderRetry() }
        return hints
    }
}
