import Synchronization
import TributaryAdmin
import TributaryChanges

/// The first observations of problems that do not record their own start.
final class ProblemTimes: Sendable {
    private let first = Mutex<[String: WallTime]>([:])

    /// Sets missing start times, and removes the times of problems that have ended.
    func complete(_ problems: inout [StatusMessage.Problem], now: WallTime) {
        let known = first.withLock { first in
            let codes = Set(problems.filter { $0.since == nil }.map(\.code))
            first = first.filter { codes.contains($0.key) }
            for code in codes where first[code] == nil { first[code] = now }
            return first
        }
        for index in problems.indices where problems[index].since == nil {
            problems[index].since = known[problems[index].code]?.unixSeconds
        }
    }
}
