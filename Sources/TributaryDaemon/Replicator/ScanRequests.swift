import Logging
import Synchronization
import TributaryAdmin
import TributaryChanges
import TributaryClient
import TributaryStore

// This folder notifies the replicator of the log folder.

struct ReplicatorSettings: Hashable, Sendable {
    struct Syncthing: Hashable, Sendable {
        var address = LoopbackAddress.syncthing
        var keyFile: String?
        var folder: String?
    }

    var syncthing = Syncthing()
}

/// One request to Syncthing runs at a time; files that are published meanwhile go into the next request.
final class ScanRequests: Sendable {
    private struct State {
        var settings: ReplicatorSettings.Syncthing
        var pending = PendingScans()
        var failure: (error: SyncthingError, since: WallTime)?
    }

    private static let retryInterval = Duration.seconds(10)

    private let state: Mutex<State>
    private let signal = Signal()
    private let clock = MonotonicClock(ContinuousClock())
    private let wall: @Sendable () -> WallTime
    private let logger: Logger

    init(_ settings: ReplicatorSettings, wall: @escaping @Sendable () -> WallTime, logger: Logger) {
        state = Mutex(State(settings: settings.syncthing))
        self.wall = wall
        self.logger = logger
    }

    func published(by writer: UniqueID) {
        let isAsked = state.withLock { state in
            guard state.settings.folder != nil else { return false }
            state.pending.insert(writer)
            return true
        }
        if isAsked { signal.raise() }
    }

    func configure(_ settings: ReplicatorSettings, own writer: UniqueID) {
        state.withLock { state in
            guard state.settings != settings.syncthing else { return }
            state.settings = settings.syncthing
            state.failure = nil
        }
        published(by: writer)
    }

    var problem: Problem? {
        state.withLock(\.failure).map { error, since in
            Problem(
                .scanNotRequested,
                since: since,
                detail: "Segments leave later than they could: \(error)",
                hint: error.hint
            )
        }
    }

    func run() async {
        var retry: Duration?
        while !Task.isCancelled {
            await signal.wait(until: retry, on: clock)
            let (settings, paths) = state.withLock { ($0.settings, $0.pending.take()) }
            guard !Task.isCancelled, let keyFile = settings.keyFile, let folder = settings.folder
            else {
                retry = nil
                continue
            }
            guard let paths else {
                retry = nil
                continue
            }
            do {
                try await SyncthingClient(address: settings.address, keyFile: keyFile).scan(
                    folder: folder,
                    below: paths
                )
                retry = nil
                succeeded(settings)
            } catch {
                guard !Task.isCancelled else { return }
                retry = clock.now() + ScanRequests.retryInterval
                failed(error, settings, paths)
            }
        }
    }

    private func succeeded(_ settings: ReplicatorSettings.Syncthing) {
        let hadFailed = state.withLock { state in
            guard state.settings == settings else { return false }
            defer { state.failure = nil }
            return state.failure != nil
        }
        if hadFailed { logger.notice("Syncthing accepts scan requests again") }
    }

    private func failed(_ error: SyncthingError, _ settings: ReplicatorSettings.Syncthing, _ paths: [String]) {
        let isNew = state.withLock { state in
            state.pending.putBack(paths)
            guard state.settings == settings else { return false }
            defer { state.failure = (error, state.failure?.since ?? wall()) }
            return state.failure?.error != error
        }
        if isNew { logger.warning("Syncthing was not asked for a scan", metadata: ["reason": "\(error)"]) }
    }
}

struct PendingScans: Sendable {
    /// If more folders have changed, the request names the whole log folder.
    static let limit = 32

    private var writers: Set<String> = []
    private var isEverything = false

    mutating func insert(_ writer: UniqueID) { insert(path: writer.description) }

    mutating func putBack(_ paths: [String]) {
        if paths.isEmpty { isEverything = true }
        for path in paths { insert(path: path) }
    }

    private mutating func insert(path: String) {
        guard !isEverything else { return }
        writers.insert(path)
        if writers.count > PendingScans.limit { (writers, isEverything) = ([], true) }
    }

    /// An empty list is the whole log folder; nil when nothing is to be scanned.
    mutating func take() -> [String]? {
        guard isEverything || !writers.isEmpty else { return nil }
        defer { self = PendingScans() }
        return writers.sorted()
    }
}
