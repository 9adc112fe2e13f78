import Synchronization
import TributaryAdmin

/// Since when there have been problems that do not say so themselves: since they were first seen.
final class ProblemTimes: Sendable {
    private let first = Mutex<[String: Double]>([:])

    /// Fills in what is missing; forgets problems that are gone.
    func complete(_ problems: inout [StatusMessage.Problem], wall: Double) {
        let known = first.withLock { first in
            let codes = Set(problems.filter { $0.since == nil }.map(\.code))
            first = first.filter { codes.contains($0.key) }
            for code in codes where first[code] == nil { first[code] = wall }
            return first
        }
        for index in problems.indices where problems[index].since == nil {
            problems[index].since = known[problems[index].code]
        }
    }
}
