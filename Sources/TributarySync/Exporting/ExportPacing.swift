/// Decides when local saves become a segment.
///
/// The first save after a quiet time is exported at once, and saves that follow within the quiet time are exported
/// together. Peers therefore see a save as early as possible, and many saves make at most one segment in that time.
struct ExportPacing: Sendable {
    /// The time at which the last export began that wrote something or failed.
    private(set) var lastExport: Duration?

    func rest(at now: Duration, quiet: Duration) -> Duration {
        guard let lastExport else { return .zero }
        return max(.zero, lastExport + quiet - now)
    }

    mutating func exported(at now: Duration) {
        lastExport = now
    }
}
