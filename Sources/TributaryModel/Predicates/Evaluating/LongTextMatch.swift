import Foundation
import Synchronization

/// Matches a long text on a thread of its own, so that a caller whose limit is reached does not wait for the end.
///
/// ICU can be stopped every 10,000 steps only, and one step may look at the whole text: an expression such as
/// `.*?(?>.*)x` takes ten seconds for 10,000 steps on a text of a million characters. A match that was abandoned ends at
/// the next of its reports.
package final class LongTextMatch: Sendable {
    /// The matches that run.
    package struct Census: Sendable, Equatable {
        package var running = 0
        /// Those of the running ones whose caller has gone.
        package var abandoned = 0
    }

    /// UTF-16 code units from which on a text is long; 10,000 steps on a shorter one take a fraction of a second.
    static let minimumLength = 16_384

    /// Matches that run at one time, abandoned ones included, so that the machine stays usable.
    package static let maximumCount = 2

    /// How often a caller that waits asks whether its limit is reached.
    private static let interval = DispatchTimeInterval.milliseconds(10)

    private static let places = DispatchSemaphore(value: maximumCount)
    private static let all = Mutex(Census())

    /// The matches that run now in this process.
    package static var census: Census { all.withLock { $0 } }

    private enum State {
        case running
        case abandoned
        case ended(Bool)
    }

    private let state = Mutex(State.running)
    private let ending = DispatchSemaphore(value: 0)

    private init() {}

    /// Runs `body` on a thread of its own, where ``MatchingLimit`` is reached once the caller has given up.
    ///
    /// - Parameter body: matches one text.
    /// - Returns: What `body` returns; false as soon as the caller's own limit is reached.
    static func run(_ body: @escaping @Sendable () -> Bool) -> Bool {
        while places.wait(timeout: .now() + interval) == .timedOut {
            if MatchingLimit.isReached { return false }
        }
        let match = LongTextMatch()
        all.withLock { $0.running += 1 }
        Thread { match.main(body) }.start()
        while match.ending.wait(timeout: .now() + interval) == .timedOut {
            if MatchingLimit.isReached { match.abandon() }
            if case .abandoned = match.state.withLock({ $0 }) { return false }
        }
        guard case .ended(let isFound) = match.state.withLock({ $0 }) else { return false }
        return isFound
    }

    private func main(_ body: () -> Bool) {
        let isFound = MatchingLimit.$isOver.withValue({ self.isAbandoned }, operation: body)
        let wasAbandoned = state.withLock { state in
            if case .abandoned = state { return true }
            state = .ended(isFound)
            return false
        }
        LongTextMatch.all.withLock { census in
            census.running -= 1
            if wasAbandoned { census.abandoned -= 1 }
        }
        LongTextMatch.places.signal()
        ending.signal()
    }

    private var isAbandoned: Bool {
        if case .abandoned = state.withLock({ $0 }) { true } else { false }
    }

    private func abandon() {
        state.withLock { state in
            guard case .running = state else { return }
            state = .abandoned
            LongTextMatch.all.withLock { $0.abandoned += 1 }
        }
    }
}
