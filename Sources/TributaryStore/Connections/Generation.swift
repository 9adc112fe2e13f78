import Dispatch
import GRDB
import Glibc
import Synchronization

/// A query generation: an unchanging snapshot of the store, with the connections that read it.
///
/// Pinning holds the write lock, so that all connections begin at the same transaction. A *moved* generation has no
/// connections: later reads use the generation that replaced it.
package final class Generation: Sendable {
    package let number: Int64
    let context: StoreContext
    private let pool: ReaderPool
    private let state: Mutex<State>
    /// The initial number of connections; the last of several is for reads without a time limit.
    private let size: Int

    struct State {
        var idle: [StoreConnection]
        var waiting: [Waiter] = []
        var phase = Phase.pinned
        var nextWaiter = 0
        var holders: [pthread_t: StoreConnection] = [:]
        var cursors: [ObjectIdentifier: OpenCursor] = [:]
    }

    struct OpenCursor {
        weak var cursor: RowCursor?
    }

    enum Phase {
        case pinned
        /// The connections are being released; readers wait until the phase is `moved` or `failed`.
        case releasing
        case moved(Generation)
        case failed
    }

    struct Waiter {
        let id: Int
        let isLimited: Bool
        let wake: @Sendable () -> Void
    }

    init(number: Int64, connections: [StoreConnection], pool: ReaderPool, context: StoreContext) {
        self.number = number
        self.pool = pool
        self.context = context
        size = connections.count
        state = Mutex(State(idle: connections))
        pool.add(self)
    }

    deinit {
        pool.remove(self)
        // Reads hold a reference, so that all connections are idle here.
        for connection in state.withLock({ $0.idle }) { pool.giveBack(connection) }
    }

    enum Lease {
        case connection(StoreConnection)
        case moved(Generation)
        case failed
        case wait(Int)
    }

    /// Reads with a time limit leave one connection free, so that slow reads cannot delay the main context.
    func lease(isLimited: Bool, wake: () -> @Sendable () -> Void) -> Lease {
        state.withLock { state in
            switch state.phase {
            case .moved(let next): return .moved(next)
            case .failed: return .failed
            case .pinned where state.idle.count > kept(isLimited): return .connection(state.idle.removeLast())
            case .pinned, .releasing:
                state.nextWaiter += 1
                state.waiting.append(Waiter(id: state.nextWaiter, isLimited: isLimited, wake: wake()))
                return .wait(state.nextWaiter)
            }
        }
    }

    func leaseIfIdle() -> StoreConnection? {
        state.withLock { state in
            guard case .pinned = state.phase, state.idle.count > kept(true) else { return nil }
            return state.idle.removeLast()
        }
    }

    func giveBack(_ connection: StoreConnection) {
        let waiter = state.withLock { state -> Waiter?? in
            guard case .pinned = state.phase else { return .none }
            state.idle.append(connection)
            guard let next = state.waiting.firstIndex(where: { state.idle.count > kept($0.isLimited) }) else {
                return .some(nil)
            }
            return state.waiting.remove(at: next)
        }
        switch waiter {
        case .none: pool.giveBack(connection)
        case .some(let waiter): waiter?.wake()
        }
    }

    func giveUp(_ id: Int) {
        let next = state.withLock { state -> Waiter? in
            if let place = state.waiting.firstIndex(where: { $0.id == id }) {
                state.waiting.remove(at: place)
                return nil
            }
            guard case .pinned = state.phase,
                let next = state.waiting.firstIndex(where: { state.idle.count > kept($0.isLimited) })
            else { return nil }
            return state.waiting.remove(at: next)
        }
        next?.wake()
    }

    private func kept(_ isLimited: Bool) -> Int { isLimited && size > 1 ? 1 : 0 }

    func holding<T>(_ connection: StoreConnection, _ block: () throws -> T) rethrows -> T {
        let thread = pthread_self()
        state.withLock { $0.holders[thread] = connection }
        defer { state.withLock { $0.holders[thread] = nil } }
        return try block()
    }

    func held() -> StoreConnection? {
        state.withLock { $0.holders[pthread_self()] }
    }

    func release() {
        let idle = state.withLock { state -> [StoreConnection] in
            guard case .pinned = state.phase else { return [] }
            state.phase = .releasing
            defer { state.idle = [] }
            return state.idle
        }
        for connection in idle { pool.giveBack(connection) }
    }

    func retire(to next: Generation) { leave(.moved(next)) }

    func fail() {
        leave(.failed)
        for cursor in state.withLock({ $0.cursors.values.compactMap(\.cursor) }) { cursor.end() }
    }

    func add(_ cursor: RowCursor) throws {
        try state.withLock { state in
            if case .failed = state.phase { throw StoreError.closed }
            state.cursors[ObjectIdentifier(cursor)] = OpenCursor(cursor: cursor)
        }
    }

    func remove(_ cursor: ObjectIdentifier) {
        state.withLock { $0.cursors[cursor] = nil }
    }

    private func leave(_ phase: Phase) {
        let waiting = state.withLock { state in
            state.phase = phase
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiter in waiting { waiter.wake() }
    }
}

extension Generation {
    /// Reads without blocking the caller's thread; `timeout` begins when a connection is available.
    package func readAsync<T: Sendable>(
        timeout: Duration? = nil,
        _ block: @escaping @Sendable (Reader) throws -> T
    ) async throws -> T {
        let cancellation = ReadCancellation()
        return try await withTaskCancellationHandler {
            let (generation, connection) = try await leaseConnection()
            return try await withCheckedThrowingContinuation { continuation in
                connection.enqueue { database in
                    let result = Result {
                        try generation.reading(on: connection, timeout, cancellation, database, block)
                    }
                    generation.giveBack(connection)
                    continuation.resume(with: result)
                }
            }
        } onCancel: {
            cancellation.cancel()
        }
    }

    private func reading<T>(
        on connection: StoreConnection,
        _ timeout: Duration?,
        _ cancellation: ReadCancellation,
        _ database: Database,
        _ block: (Reader) throws -> T
    ) throws -> T {
        func read() throws -> T {
            try StoreError.mapping {
                try holding(connection) { try block(Reader(database: database, context: context)) }
            }
        }
        guard let timeout else { return try cancellation.guarding(database, read) }
        return try database.limited(to: timeout, cancellation: cancellation, read)
    }

    /// Leases a connection of this generation or its successor; the caller returns it to the generation in the result.
    func leaseConnection() async throws -> (Generation, StoreConnection) {
        var generation = self
        while true {
            let signal = Signal()
            switch generation.lease(isLimited: true, wake: { { signal.raise() } }) {
            case .moved(let next): generation = next
            case .failed: throw StoreError.closed
            case .connection(let connection): return (generation, connection)
            case .wait(let place):
                await signal.wait()
                guard Task.isCancelled else { continue }
                generation.giveUp(place)
                throw CancellationError()
            }
        }
    }
}

extension Generation {
    /// Keeps one connection, and so this state, for the reads of this thread until `block` ends.
    ///
    /// This works only if a second connection is idle for other readers; otherwise each read in `block` leases its own
    /// connection.
    package func holding<T>(_ block: () -> T) -> T {
        guard held() == nil, let connection = leaseIfIdle() else { return block() }
        defer { giveBack(connection) }
        return holding(connection) { block() }
    }
}

extension Generation {
    package func read<T>(_ block: (Reader) throws -> T) throws -> T {
        var generation = self
        while true {
            if let held = generation.held() { return try read(on: held, block) }
            let semaphore = DispatchSemaphore(value: 0)
            switch generation.lease(isLimited: false, wake: { { _ = semaphore.signal() } }) {
            case .moved(let next): generation = next
            case .failed: throw StoreError.closed
            case .wait: semaphore.wait()
            case .connection(let connection):
                defer { generation.giveBack(connection) }
                return try generation.holding(connection) { try read(on: connection, block) }
            }
        }
    }

    private func read<T>(on connection: StoreConnection, _ block: (Reader) throws -> T) throws -> T {
        try connection.run { database in
            try StoreError.mapping { try block(Reader(database: database, context: context)) }
        }
    }
}
