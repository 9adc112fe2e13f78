import TributaryChanges
import TributaryStore

/// The first stage of the import: says where to scan now.
///
/// Its input is inotify's events, the hints of others, the hints that the system refused a while ago, and the time.
struct FolderWatch {
    private let path: String
    private let signal: Signal
    private var watcher: DirectoryWatcher?
    private var nextRescan = Duration.zero
    private var retry = FolderRetry()
    /// Why inotify cannot be used; the system may refuse it for a while only.
    private(set) var problem: FolderProblem?

    /// Begins to watch the folder at `path`, and raises `signal` when something may have changed.
    init(path: String, signal: Signal) {
        self.path = path
        self.signal = signal
        startWatching()
    }

    /// When there will be hints even without an event.
    var due: Duration { min(nextRescan, retry.due ?? nextRescan) }

    /// Whether the system gave fewer watches than there are folders.
    var isLimited: Bool { watcher?.isLimited ?? false }

    /// Where to scan now; empty when nothing can have changed.
    ///
    /// - Parameters:
    ///   - requested: hints of others.
    ///   - now: the clock's time.
    ///   - rescan: how often everything is scanned.
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

    /// Called before the log folder is listed, so that nothing falls between the two.
    func watchRoot() { watcher?.watchRoot() }

    /// A function that is called before a writer's folder is listed.
    var watchWriter: (UniqueID) -> Void {
        { [watcher] in watcher?.watch($0) }
    }

    /// Gives the hints again after some seconds: the system refused to show something.
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
