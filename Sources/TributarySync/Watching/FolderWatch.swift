import TributaryChanges

/// The watcher of the log folder, or the reason why there is none.
struct FolderWatch {
    private let path: String
    private let isActive: Bool
    private let report: @Sendable (FolderHints) -> Void
    private var watcher: DirectoryWatcher?
    private(set) var problem: FolderProblem?

    /// Begins to watch the folder at `path`, unless `isActive` is false.
    ///
    /// `report` is called with the places that may have changed.
    init(path: String, isActive: Bool = true, report: @escaping @Sendable (FolderHints) -> Void) {
        self.path = path
        self.isActive = isActive
        self.report = report
        start()
    }

    var isLimited: Bool { watcher?.isLimited ?? false }

    mutating func start() {
        guard isActive, watcher == nil else { return }
        do throws(FolderProblem) {
            watcher = try DirectoryWatcher(path: path, report: report)
            problem = nil
        } catch {
            problem = error
        }
    }

    /// Watches the log folder; called before it is listed, so that no change is lost between the two.
    func watchRoot() { watcher?.watchRoot() }

    var watchWriter: (UniqueID) -> Void {
        { [watcher] in watcher?.watch($0) }
    }

    /// The time after which everything is scanned, also when nothing was reported.
    func interval(_ rescan: SyncConfiguration.Rescan) -> Duration {
        if case .every(let interval) = rescan { return interval }
        let isReliable = watcher != nil && !isLimited
        return isReliable && !FileSystemKind.isRemote(FileSystemKind.at(path)) ? .seconds(600) : .seconds(30)
    }
}
