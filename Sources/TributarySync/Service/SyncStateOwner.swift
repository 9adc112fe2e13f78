import Synchronization

/// The only owner of the service's state; every access holds a lock.
final class SyncStateOwner: Sendable {
    private let state: Mutex<SyncState>

    init(_ state: SyncState) {
        self.state = Mutex(state)
    }

    var configuration: SyncConfiguration { read(\.configuration) }

    var isStopping: Bool { read(\.lifecycle.isStopping) }

    /// `block` must be short, because the import waits meanwhile.
    func read<T: Sendable>(_ block: (SyncState) throws -> T) rethrows -> T { try state.withLock { try block($0) } }

    func update<T: Sendable, E: Error>(_ change: (inout SyncState) throws(E) -> T) throws(E) -> T {
        try state.withLock { state throws(E) in try change(&state) }
    }

    // MARK: Waiting callers

    func stop() {
        for starter in update({ $0.lifecycle.stop() }) { starter.resume() }
    }

    func end() {
        let waiting = update { $0.lifecycle.end() }
        for request in waiting.requests { request.resume(throwing: SyncError.notRunning) }
        for starter in waiting.starters { starter.resume() }
    }

    func folderWasScanned() {
        for starter in update({ $0.lifecycle.folderWasScanned() }) { starter.resume() }
    }

    func waitForFirstScan() async {
        await withCheckedContinuation { continuation in
            if !update({ $0.lifecycle.addStarter(continuation) }) { continuation.resume() }
        }
    }

    func resumeStarters() {
        for starter in update({ $0.lifecycle.removeStarters() }) { starter.resume() }
    }

    func waitForPass(requested: () -> Void) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            guard update({ $0.lifecycle.addRequest(continuation) }) else {
                return continuation.resume(throwing: SyncError.notRunning)
            }
            requested()
        }
    }

    func finishRequests(_ count: Int) {
        for request in update({ $0.lifecycle.removeRequests(count) }) { request.resume() }
    }
}

/// A change of the phase returns the callers that no longer wait, to be resumed after the lock is released.
struct ServiceLifecycle<Request: Sendable, Starter: Sendable>: Sendable {
    enum Phase: Sendable {
        case idle
        case running
        case stopping
        case ended
    }

    private(set) var phase = Phase.idle
    private(set) var isWatching = false
    private var requests: [Request] = []
    private var starters: [Starter] = []

    var isStopping: Bool { phase == .stopping || phase == .ended }

    var requestCount: Int { requests.count }

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

    mutating func addRequest(_ request: Request) -> Bool {
        guard phase == .running else { return false }
        requests.append(request)
        return true
    }

    mutating func addStarter(_ starter: Starter) -> Bool {
        guard !isWatching, !isStopping else { return false }
        starters.append(starter)
        return true
    }

    /// After a stop, which may have cut their pass short, the requests stay until ``end()``.
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
