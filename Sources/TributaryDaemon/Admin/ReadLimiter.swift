import Glibc
import Synchronization
import TributaryAdmin
import TributaryStore

/// Limits the reads that run or wait, gives each client its turn, and counts failures.
final class ReadLimiter: Sendable {
    struct Client: Hashable, Sendable {
        var user: uid_t = 0
        var process: pid_t = 0

        @TaskLocal static var current = Client()
    }

    static let limit = 256
    private static let shortRead = Duration.milliseconds(250)

    private let count = Atomic(0)
    private let cancelledCount = Atomic<UInt64>(0)
    private let timedOutCount = Atomic<UInt64>(0)
    private let limit: Int
    private let patience: Duration
    private let turns = Mutex(ReadTurns())

    init(limit: Int = ReadLimiter.limit, patience: Duration = .seconds(10)) {
        self.limit = limit
        self.patience = patience
    }

    var current: Int { count.load(ordering: .relaxed) }
    var cancelled: UInt64 { cancelledCount.load(ordering: .relaxed) }
    var timedOut: UInt64 { timedOutCount.load(ordering: .relaxed) }

    func run<T: Sendable>(_ body: () async throws -> T) async throws -> T {
        guard count.add(1, ordering: .relaxed).newValue <= limit else {
            count.subtract(1, ordering: .relaxed)
            throw ProblemDocument(.tooManyClients, detail: "\(limit) reads wait already", hint: "try again in a moment")
        }
        defer { count.subtract(1, ordering: .relaxed) }
        do {
            return try await body()
        } catch {
            if error is CancellationError { cancelledCount.add(1, ordering: .relaxed) }
            if case StoreError.timedOut = error { timedOutCount.add(1, ordering: .relaxed) }
            throw error
        }
    }

    /// A long read is interrupted, and starts again in a later turn, while another long read is running.
    func runAsync<T: Sendable>(_ body: @escaping @Sendable () async throws -> T) async throws -> T {
        try await run {
            if let result = try await turn(isLong: false, { try await self.runShortly($0, body) }) { return result }
            return try await turn(isLong: true) { _ in try await body() }
        }
    }

    private func turn<T>(isLong: Bool, _ body: (_ turn: UInt64) async throws -> T) async throws -> T {
        let signal = Signal()
        let turn = turns.withLock { $0.add(Client.current, isLong: isLong) { signal.raise() } }
        defer { turns.withLock { $0.remove(turn) } }
        if turns.withLock({ !$0.isRunning(turn) }) {
            // The task is unstructured, so that a read does not wait for the end of its timer when its turn comes.
            let timer = Task { [patience] in
                try? await Task.sleep(for: patience)
                signal.raise()
            }
            await signal.wait()
            timer.cancel()
        }
        guard turns.withLock({ $0.isRunning(turn) }) else {
            try Task.checkCancellation()
            throw ProblemDocument(
                .tooManyClients,
                detail: "other reads have taken the time for \(patience.components.seconds) s",
                hint: "try again in a moment"
            )
        }
        return try await body(turn)
    }

    /// Returns nil when the read was interrupted.
    private func runShortly<T: Sendable>(
        _ turn: UInt64,
        _ body: @escaping @Sendable () async throws -> T
    ) async throws -> T? {
        try await withThrowingTaskGroup(of: (goesOn: Bool, result: T?).self) { group in
            defer { group.cancelAll() }
            group.addTask { (false, try await body()) }
            group.addTask { [self] in
                try await Task.sleep(for: ReadLimiter.shortRead)
                return (turns.withLock { $0.lengthen(turn) }, nil)
            }
            while let (goesOn, result) = try await group.next() {
                if !goesOn { return result }
            }
            return nil
        }
    }
}

/// Short reads come before long reads, then the client with the oldest last turn; only one long read runs at a time.
struct ReadTurns {
    private struct Waiter {
        let number: UInt64
        let client: ReadLimiter.Client
        let isLong: Bool
        let wake: @Sendable () -> Void
    }

    /// The number of connections that clients' reads use; the main context's generation has one more.
    private static let places = 2

    private var waiting: [Waiter] = []
    private var running: [UInt64: Bool] = [:]
    /// First for short reads, then for long reads.
    private var lastTurns: [[ReadLimiter.Client: UInt64]] = [[:], [:]]
    private var now: UInt64 = 0

    var clientCount: Int { lastTurns.map(\.count).reduce(0, +) }

    func isRunning(_ number: UInt64) -> Bool { running[number] != nil }

    mutating func add(_ client: ReadLimiter.Client, isLong: Bool, wake: @escaping @Sendable () -> Void) -> UInt64 {
        now += 1
        waiting.append(Waiter(number: now, client: client, isLong: isLong, wake: wake))
        defer { admit() }
        return now
    }

    mutating func lengthen(_ number: UInt64) -> Bool {
        guard running[number] != nil, !running.values.contains(true) else { return false }
        running[number] = true
        admit()
        return true
    }

    mutating func remove(_ number: UInt64) {
        running[number] = nil
        waiting.removeAll { $0.number == number }
        admit()
    }

    private mutating func admit() {
        while running.count < ReadTurns.places, let index = next() {
            let waiter = waiting.remove(at: index)
            now += 1
            running[waiter.number] = waiter.isLong
            let kind = waiter.isLong ? 1 : 0
            lastTurns[kind][waiter.client] = now
            // The forgotten client has waited for longest, so it comes first again.
            if lastTurns[kind].count > ReadLimiter.limit, let oldest = lastTurns[kind].min(by: { $0.value < $1.value })
            {
                lastTurns[kind][oldest.key] = nil
            }
            waiter.wake()
        }
        if running.isEmpty, waiting.isEmpty { lastTurns = [[:], [:]] }
    }

    private func next() -> Int? {
        // The last place goes to a long read, unless a long read is already running.
        let isLongDue = !running.values.contains(true)
        let prefersLong = isLongDue && !running.isEmpty
        return first(isLong: prefersLong) ?? (isLongDue ? first(isLong: !prefersLong) : nil)
    }

    private func first(isLong: Bool) -> Int? {
        let turns = lastTurns[isLong ? 1 : 0]
        return waiting.indices.filter { waiting[$0].isLong == isLong }.min { one, other in
            turns[waiting[one].client] ?? 0 < turns[waiting[other].client] ?? 0
        }
    }
}
