import TributaryChanges
import TributaryStore

/// The first stage of the import: determines which places to scan now.
///
/// Its input is inotify's events, the hints of requests, the hints of earlier refusals, and the time.
struct FolderWatch {
    private let path: String
    private let signal: Signal
    private var watcher: DirectoryWatcher?
    private var nextRescan = Duration.zero
    private var retry = FolderRetry()
    /// The reason why inotify cannot be used; the system may refuse it for a while only.
    private(set) var problem: FolderProblem?

    /// Begins to watch the folder at `path`, and raises `signal` when something may have changed.
    init(path: String, signal: Signal) {
        self.path = path
        self.signal = signal
        startWatching()
    }

    /// The time of the next hints without an event.
    var due: Duration { min(nextRescan, retry.due ?? nextRescan) }

    /// Whether the system provided fewer watches than there are folders.
    var isLimited: Bool { watcher?.isLimited ?? false }

    /// The places to scan now; empty when nothing can have changed.
    ///
    /// - Parameters:
    ///   - requested: the hints of requests.
    ///   - now: the clock's time.
    ///   - rescan: the interval at which everything is scanned.
    /// - Returns: The hints, each once.
    mutating func nextHints(
        adding requested: FolderHints,
        now: Duration,
        rescan: SyncConfiguration.Rescan
    ) -> FolderHints {
        var hints = watcher?.drainHints() ?? FolderHints()
        hints.formUnion(requested)
        hints.formUnion(retry.drainDue(now: now))
        if now >= nextRescan { hints.insertEverything() }
        if hints.isEverything {
            startWatching()
            nextRescan = now + interval(rescan)
        }
        return hints
    }

    /// Watches the log folder; called before it is listed, so that no change is lost between the two.
    func watchRoot() { watcher?.watchRoot() }

    /// A function that watches a writer's folder; called before the folder is listed.
    var watchWriter: (UniqueID) -> Void {
        { [watcher] in watcher?.watch($0) }
    }

    /// Returns the hints again after some seconds, because the system refused to show a file or folder.
    mutating func retryLater(_ hints: FolderHints, now: Duration) { retry.schedule(hints, now: now) }

    private mutating func startWatching() {
        guard watcher == nil else { return }
        do throws(FolderProblem) {
            watcher = try DirectoryWatcher(path: path, signal: signal)
            problem = nil
        } catch {
            problem = error
        }
    }

    private func interval(_ rescan: SyncConfiguration.Rescan) -> Duration {
        if case .every(let interval) = rescan { return interval }
        let isReliable = watcher != nil && !isLimited
        return isReliable && !FileSystemKind.isRemote(FileSystemKind.at(path)) ? .seconds(600) : .seconds(30)
    }
}
