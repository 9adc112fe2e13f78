import Foundation
import Synchronization

/// Matches a long text on a separate thread, so that a caller can return at its limit before the match has ended.
///
/// ICU can stop a match every 10,000 steps only, and one step may read the whole text: 10,000 steps of `.*?(?>.*)x`
/// take ten seconds on a text of a million characters. An abandoned match ends at ICU's next progress report.
package final class LongTextMatch: Sendable {
    package struct Census: Sendable, Equatable {
        package var running = 0
        /// The running matches whose caller has returned.
        package var abandoned = 0
    }

    /// The least number of UTF-16 code units of a long text; 10,000 steps on a shorter text take a fraction of a
    /// second.
    static let minimumLength = 16_384

    /// The greatest number of matches at a time, abandoned ones included, so that the machine stays responsive.
    package static let maximumCount = 2

    /// The interval at which a waiting caller checks its limit.
    private static let interval = DispatchTimeInterval.milliseconds(10)

    private static let permits = DispatchSemaphore(value: maximumCount)
    private static let all = Mutex(Census())

    package static var census: Census { all.withLock { $0 } }

    private enum State {
        case running
        case abandoned
        case ended(Bool)
    }

    private let state = Mutex(State.running)
    private let ending = DispatchSemaphore(value: 0)

    private init() {}

    /// Runs a match on a separate thread, on which ``MatchingLimit`` is reached after the caller has returned; false as
    /// soon as the caller's own limit is reached.
    static func run(_ block: @escaping @Sendable () -> Bool) -> Bool {
        while permits.wait(timeout: .now() + interval) == .timedOut {
            if MatchingLimit.isReached { return false }
        }
        let match = LongTextMatch()
        all.withLock { $0.running += 1 }
        Thread { match.main(block) }.start()
        while match.ending.wait(timeout: .now() + interval) == .timedOut {
            if MatchingLimit.isReached { match.abandon() }
            if case .abandoned = match.state.withLock({ $0 }) { return false }
        }
        guard case .ended(let isFound) = match.state.withLock({ $0 }) else { return false }
        return isFound
    }

    private func main(_ block: () -> Bool) {
        let isFound = MatchingLimit.with({ self.isAbandoned }, operation: block)
        let wasAbandoned = state.withLock { state in
            if case .abandoned = state { return true }
            state = .ended(isFound)
            return false
        }
        LongTextMatch.all.withLock { census in
            census.running -= 1
            if wasAbandoned { census.abandoned -= 1 }
        }
        LongTextMatch.permits.signal()
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
