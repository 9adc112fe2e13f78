import Synchronization

/// The only owner of the service's state: every change of it is a call to ``update(_:)``, under a lock.
final class SyncStateOwner: Sendable {
    private let state: Mutex<SyncState>

    init(_ state: SyncState) {
        self.state = Mutex(state)
    }

    var configuration: SyncConfiguration { read(\.configuration) }

    var isStopping: Bool { read(\.lifecycle.isStopping) }

    /// Reads the state; `block` must be short, because the import waits meanwhile.
    func read<T: Sendable>(_ block: (SyncState) throws -> T) rethrows -> T { try state.withLock { try block($0) } }

    func update<T: Sendable, E: Error>(_ change: (inout SyncState) throws(E) -> T) throws(E) -> T {
        try state.withLock { state throws(E) in try change(&state) }
    }

    // MARK: Those who wait

    func stop() {
        for starter in update({ $0.lifecycle.stop() }) { starter.resume() }
    }

    /// Ends all waiting: requests for a pass fail.
    func end() {
        let waiting = update { $0.lifecycle.end() }
        for request in waiting.requests { request.resume(throwing: SyncError.notRunning) }
        for starter in waiting.starters { starter.resume() }
    }

    func folderWasScanned() {
        for starter in update({ $0.lifecycle.folderWasScanned() }) { starter.resume() }
    }

    /// Returns when the folder has been scanned once, the service stops, or ``resumeStarters()`` is called.
    func waitForFirstScan() async {
        await withCheckedContinuation { continuation in
            if !update({ $0.lifecycle.addStarter(continuation) }) { continuation.resume() }
        }
    }

    func resumeStarters() {
        for starter in update({ $0.lifecycle.removeStarters() }) { starter.resume() }
    }

    /// Returns after a whole pass over the folder; `requested` is called once the request is registered.
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
