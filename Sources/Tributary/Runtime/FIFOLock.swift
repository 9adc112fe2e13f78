import Synchronization

/// Held over suspensions, unlike an actor's isolation; a waiting task holds no thread.
final class FIFOLock: Sendable {
    private struct State {
        var next: UInt64 = 0
        var serving: UInt64 = 0
        var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    func takeTicket() -> UInt64 {
        state.withLock { state in
            defer { state.next += 1 }
            return state.next
        }
    }

    func wait(for ticket: UInt64) async {
        await withCheckedContinuation { continuation in
            let isNow = state.withLock { state in
                if state.serving != ticket { state.waiting[ticket] = continuation }
                return state.serving == ticket
            }
            if isNow { continuation.resume() }
        }
    }

    func unlock() {
        let next = state.withLock { state in
            state.serving += 1
            return state.waiting.removeValue(forKey: state.serving)
        }
        next?.resume()
    }
}
