import CSQLite
package import GRDB
import Synchronization
import TributaryModel

final class ReaderPool: Sendable {
    private struct State {
        var idle: [StoreConnection] = []
        var isClosed = false
        var generations: [ObjectIdentifier: Pinned] = [:]
    }

    private struct Pinned {
        weak var generation: Generation?
    }

    private let path: String
    private let trace: SQLTrace?
    private let state = Mutex(State())
    private static let idleLimit = 8

    init(path: String, trace: SQLTrace? = nil) {
        self.path = path
        self.trace = trace
    }

    func lend() throws -> StoreConnection {
        let idle = try state.withLock { state -> StoreConnection? in
            guard !state.isClosed else { throw StoreError.closed }
            return state.idle.popLast()
        }
        return try idle ?? StoreConnection.reader(path: path, trace: trace)
    }

    func giveBack(_ connection: StoreConnection) {
        let isClean = connection.run { database in
            guard database.isInsideTransaction else { return true }
            return (try? BoundStatement(database, "ROLLBACK").run()) != nil
        }
        // A surplus connection closes when its last reference is released: the caller may be on the connection's queue,
        // where it cannot be closed.
        state.withLock { state in
            guard isClean, !state.isClosed, state.idle.count < ReaderPool.idleLimit else { return }
            state.idle.append(connection)
        }
    }

    func add(_ generation: Generation) {
        let isClosed = state.withLock { state in
            state.generations[ObjectIdentifier(generation)] = Pinned(generation: generation)
            return state.isClosed
        }
        // The generation was being created while the pool was closed.
        guard isClosed else { return }
        generation.release()
        generation.fail()
    }

    func remove(_ generation: Generation) {
        _ = state.withLock { $0.generations.removeValue(forKey: ObjectIdentifier(generation)) }
    }

    func close() {
        let (idle, generations) = state.withLock { state in
            state.isClosed = true
            defer { state.idle = [] }
            return (state.idle, state.generations.values.compactMap(\.generation))
        }
        for connection in idle { try? connection.close() }
        for generation in generations {
            generation.release()
            generation.fail()
        }
    }
}

package final class ReadCancellation: Sendable {
    private let flag = Atomic(false)

    package init() {}

    package var isCancelled: Bool { flag.load(ordering: .relaxed) }

    package func cancel() { flag.store(true, ordering: .relaxed) }

    func guarding<T>(_ database: Database, _ block: () throws -> T) throws -> T {
        if isCancelled { throw CancellationError() }
        do {
            return try database.interrupting(when: { self.isCancelled }, block)
        } catch StoreError.database(SQLITE_INTERRUPT, _) where isCancelled {
            throw CancellationError()
        }
    }
}

private final class ProgressHandler {
    let isInterruptionDue: () -> Bool

    init(_ isInterruptionDue: @escaping () -> Bool) { self.isInterruptionDue = isInterruptionDue }
}

extension Database {
    /// SQLite executes so many instructions in well under a millisecond.
    package static let stepsBetweenQuestions: Int32 = 2_000

    /// A true `handler` interrupts the statement; SQLite counts instructions for each statement separately.
    func handlingProgress<T>(every steps: Int32, _ handler: @escaping () -> Bool, _ block: () throws -> T) rethrows -> T
    {
        let progress = ProgressHandler(handler)
        sqlite3_progress_handler(
            sqliteConnection,
            steps,
            { context in
                guard let context else { return 0 }
                let progress = Unmanaged<ProgressHandler>.fromOpaque(context).takeUnretainedValue()
                return progress.isInterruptionDue() ? 1 : 0
            },
            Unmanaged.passUnretained(progress).toOpaque()
        )
        defer { sqlite3_progress_handler(sqliteConnection, 0, nil, nil) }
        return try withExtendedLifetime(progress, block)
    }

    /// Interrupts statements once `isDue` is true, also inside a string match; they throw SQLite's own error.
    package func interrupting<T>(
        when isDue: @escaping @Sendable () -> Bool,
        every steps: Int32 = stepsBetweenQuestions,
        _ block: () throws -> T
    ) throws -> T {
        try handlingProgress(every: steps, isDue) { try MatchingLimit.with(isDue) { try block() } }
    }

    /// Throws `timedOut` or `CancellationError` in place of SQLite's own error.
    func limited<T>(
        to duration: Duration,
        cancellation: ReadCancellation,
        _ block: () throws -> T
    ) throws -> T {
        let end = ContinuousClock.now + duration
        if cancellation.isCancelled { throw CancellationError() }
        do {
            return try interrupting(when: { cancellation.isCancelled || ContinuousClock.now >= end }, block)
        } catch StoreError.database(SQLITE_INTERRUPT, _) {
            if cancellation.isCancelled { throw CancellationError() }
            throw StoreError.timedOut(after: duration)
        }
    }
}
