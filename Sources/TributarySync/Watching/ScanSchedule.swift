/// Decides which places of the log folder are scanned, and when.
///
/// Places that events and requests name are scanned at once, those that the system refused to show after a delay, and
/// everything at each rescan. Times are durations since any fixed moment; this type has no clock.
struct ScanSchedule: Sendable {
    /// The delay of another attempt: short for a momentary trouble, long enough for a lasting one.
    static let retryInterval = Duration.seconds(5)

    private var hints = FolderHints()
    private var refused = FolderHints()
    private var retryDue: Duration?
    private var rescanDue = Duration.zero

    var due: Duration { min(rescanDue, retryDue ?? rescanDue) }

    mutating func insert(_ hints: FolderHints) { self.hints.formUnion(hints) }

    mutating func retry(_ refused: FolderHints, now: Duration) {
        guard !refused.isEmpty else { return }
        self.refused.formUnion(refused)
        retryDue = retryDue ?? now + ScanSchedule.retryInterval
    }

    mutating func rescan(at time: Duration) { rescanDue = time }

    /// Removes and returns the places to scan now; empty when nothing can have changed.
    mutating func next(now: Duration) -> FolderHints {
        var next = hints
        hints = FolderHints()
        if let due = retryDue, due <= now {
            next.formUnion(refused)
            refused = FolderHints()
            retryDue = nil
        }
        if now >= rescanDue { next.insertEverything() }
        return next
    }
}
