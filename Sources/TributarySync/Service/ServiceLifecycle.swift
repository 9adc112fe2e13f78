/// Where the service is between its start and its end, and who waits for it to get further.
///
/// A change returns those who wait no more; whoever makes it resumes them after the lock is released.
struct ServiceLifecycle<Request: Sendable, Starter: Sendable>: Sendable {
    enum Phase: Sendable {
        /// `run()` has not been called.
        case idle
        case running
        /// No new work is begun.
        case stopping
        case ended
    }

    private(set) var phase = Phase.idle
    /// Whether the folder is watched and has been scanned once.
    private(set) var isWatching = false
    /// Who waits for a whole pass over the folder.
    private var requests: [Request] = []
    /// Who waits for the folder to be watched.
    private var starters: [Starter] = []

    var isStopping: Bool { phase == .stopping || phase == .ended }

    /// How many wait for a whole pass over the folder.
    var requestCount: Int { requests.count }

    /// False when the service has begun before, or was stopped before it began.
    mutating func begin() -> Bool {
        guard phase == .idle else { return false }
        phase = .running
        return true
    }

    mutating func stop() -> [Starter] {
        if !isStopping { phase = .stopping }
        return removeStarters()
    }

    mutating func end() -> (requests: [Request], starters: [Starter]) {
        phase = .ended
        defer { requests = [] }
        return (requests, removeStarters())
    }

    mutating func folderWasScanned() -> [Starter] {
        isWatching = true
        return removeStarters()
    }

    /// False when the service does not run, so that no pass would come.
    mutating func addRequest(_ request: Request) -> Bool {
        guard phase == .running else { return false }
        requests.append(request)
        return true
    }

    /// False when there is nothing to wait for.
    mutating func addStarter(_ starter: Starter) -> Bool {
        guard !isWatching, !isStopping else { return false }
        starters.append(starter)
        return true
    }

    /// Removes the oldest requests, at most `count`; none is left when the service was abandoned meanwhile.
    mutating func removeRequests(_ count: Int) -> [Request] {
        let oldest = Array(requests.prefix(count))
        requests.removeFirst(oldest.count)
        return oldest
    }

    mutating func removeStarters() -> [Starter] {
        defer { starters = [] }
        return starters
    }
}
