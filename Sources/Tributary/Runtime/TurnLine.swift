import Synchronization

/// A line in which bodies wait for their turns, first come, first served, without holding a thread.
///
/// The place is taken at once; the turn goes on over suspensions, which an actor's does not.
final class TurnLine: Sendable {
    private struct State {
        var next: UInt64 = 0
        var serving: UInt64 = 0
        var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    /// Takes the next place.
    func take() -> UInt64 {
        state.withLock { state in
            defer { state.next += 1 }
            return state.next
        }
    }

    /// Returns when the place's turn has come; ``leave()`` ends it.
    func wait(for place: UInt64) async {
        await withCheckedContinuation { continuation in
            let isNow = state.withLock { state in
                if state.serving != place { state.waiting[place] = continuation }
                return state.serving == place
            }
            if isNow { continuation.resume() }
        }
    }

    /// Ends the turn.
    func leave() {
        let next = state.withLock { state in
            state.serving += 1
            return state.waiting.removeValue(forKey: state.serving)
        }
        next?.resume()
    }
}
