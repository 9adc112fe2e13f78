/// The phase of the service between its start and its end, with the callers that wait for a later phase.
///
/// A change of the phase returns the callers that no longer wait; its caller resumes them after the lock is released.
struct ServiceLifecycle<Request: Sendable, Starter: Sendable>: Sendable {
    enum Phase: Sendable {
        /// `run()` has not been called.
        case idle
        case running
        /// The service begins no new work.
        case stopping
        case ended
    }

    private(set) var phase = Phase.idle
    /// Whether the service watches the folder and has scanned it once.
    private(set) var isWatching = false
    /// The callers that wait for a whole pass over the folder.
    private var requests: [Request] = []
    private var starters: [Starter] = []

    var isStopping: Bool { phase == .stopping || phase == .ended }

    var requestCount: Int { requests.count }

    /// Begins the service; false when it has begun before, or was stopped before it began.
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

    /// Adds a request; false when the service does not run, so that no pass would serve it.
    mutating func addRequest(_ request: Request) -> Bool {
        guard phase == .running else { return false }
        requests.append(request)
        return true
    }

    /// Adds a starter; false when there is nothing to wait for.
    mutating func addStarter(_ starter: Starter) -> Bool {
        guard !isWatching, !isStopping else { return false }
        starters.append(starter)
        return true
    }

    /// Removes the oldest requests, at most `count`, whose pass has ended.
    ///
    /// A stop may have cut the pass short, so the requests then stay until ``end()``.
    mutating func removeRequests(_ count: Int) -> [Request] {
        guard !isStopping else { return [] }
        let oldest = Array(requests.prefix(count))
        requests.removeFirst(oldest.count)
        return oldest
    }

    mutating func removeStarters() -> [Starter] {
        defer { starters = [] }
        return starters
    }
}
