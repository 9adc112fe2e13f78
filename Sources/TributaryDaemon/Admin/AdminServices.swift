import Foundation
import Logging
import Synchronization
import TributaryAdmin
import TributaryChanges
import TributaryStore

struct AdminServices: Sendable {
    let state: DaemonState
    let counters = AdminCounters()
    let logger: Logger
    let logLevel: LogLevelSetting
    let shutdownBroadcast: ShutdownBroadcast
    let syncLock = WorkLock(activity: "synchronizing")
    let backupLock = WorkLock(activity: "making a backup")
    let checkLock = WorkLock(activity: "checking the store")
    let compactLock = WorkLock(activity: "compacting")
    let problemTimes = ProblemTimes()
    let noticeTimes = ProblemTimes()
    let reload: @Sendable () async throws -> ReloadMessage
    let shutdown: @Sendable () -> Void
}

final class AdminCounters: Sendable {
    private let requestCount = Atomic<UInt64>(0)
    fileprivate let streamCount = Atomic<Int>(0)

    static let streamLimit = 256

    var requests: UInt64 { requestCount.load(ordering: .relaxed) }
    var streams: Int { streamCount.load(ordering: .relaxed) }

    func countRequest() { requestCount.add(1, ordering: .relaxed) }
}

/// A permit for one change stream, returned when the last reference is released.
final class StreamPermit: Sendable {
    private let counters: AdminCounters

    init?(_ counters: AdminCounters) {
        guard counters.streamCount.add(1, ordering: .relaxed).newValue <= AdminCounters.streamLimit else {
            counters.streamCount.subtract(1, ordering: .relaxed)
            return nil
        }
        self.counters = counters
    }

    deinit { counters.streamCount.subtract(1, ordering: .relaxed) }
}

/// A lock that allows one piece of long work of its kind at a time, and names its holder to other clients.
final class WorkLock: Sendable {
    final class Hold: Sendable {
        private let lock: WorkLock
        private let isReleased = Atomic(false)

        fileprivate init(_ lock: WorkLock) { self.lock = lock }

        deinit { release() }

        func release() {
            guard !isReleased.exchange(true, ordering: .acquiringAndReleasing) else { return }
            lock.holder.withLock { $0 = nil }
        }
    }

    private struct Holder {
        let name: String
        let since: Date
    }

    /// The work as a clause with "is", such as "synchronizing".
    private let activity: String
    private let holder = Mutex<Holder?>(nil)

    init(activity: String) {
        self.activity = activity
    }

    func hold(for caller: Caller) throws(ProblemDocument) -> Hold {
        let other: Holder? = holder.withLock { holder in
            if let holder { return holder }
            holder = Holder(name: caller.name, since: Date())
            return nil
        }
        guard let other else { return Hold(self) }
        throw ProblemDocument(
            .busy,
            detail: "\(other.name) is \(activity) since \(other.since.formatted(.iso8601))",
            hint: "try again when it is done"
        )
    }
}

final class ShutdownBroadcast: Sendable {
    private let broadcast = Broadcast<Never>(limit: 1)
    private let onSend: @Sendable () -> Void

    init(onSend: @escaping @Sendable () -> Void = {}) {
        self.onSend = onSend
    }

    func send() {
        onSend()
        broadcast.finish()
    }

    func wait() async {
        for await _ in broadcast.stream() {}
    }
}

final class ProblemTimes: Sendable {
    private let first = Mutex<[Problem.Code: WallTime]>([:])

    func complete(_ problems: inout [Problem], now: WallTime) {
        let known = first.withLock { first in
            let codes = Set(problems.filter { $0.since == nil }.map(\.code))
            first = first.filter { codes.contains($0.key) }
            for code in codes where first[code] == nil { first[code] = now }
            return first
        }
        for index in problems.indices where problems[index].since == nil {
            problems[index].since = known[problems[index].code]
        }
    }
}
