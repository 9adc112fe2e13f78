/// When local saves become a segment: the first save after a quiet time at once, those that follow within it together.
///
/// So a save is seen elsewhere as soon as can be, and many saves make at most one segment in that time.
struct ExportPacing: Sendable {
    /// When the last export began that wrote something, or failed.
    private(set) var lastExport: Duration?

    init(lastExport: Duration? = nil) {
        self.lastExport = lastExport
    }

    /// How long the export of a save at `now` waits.
    func rest(at now: Duration, quiet: Duration) -> Duration {
        guard let lastExport else { return .zero }
        return max(.zero, lastExport + quiet - now)
    }

    /// An export that began at `now` has written something, or failed.
    mutating func exported(at now: Duration) {
        lastExport = now
    }
}
