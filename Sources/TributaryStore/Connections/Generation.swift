import Glibc
import Synchronization

/// One unchanging state of the store, and the connections that read it.
///
/// Pinning is done with the writer held, so that all its connections begin at the same transaction. They go back to the
/// store when the last reference is gone. A generation that was *moved* (`Store.move(from:)`) has none any more: reads
/// that begin later are answered by the generation it was moved to.
package final class Generation: Sendable {
    /// The number of the newest transaction in it.
    package let number: Int64
    let context: StoreContext
    private let pool: ReaderPool
    private let state: Mutex<State>
    /// How many connections there were; the last of several is kept for reads that have no time limit.
    private let size: Int

    struct State {
        var idle: [StoreConnection]
        var waiting: [Waiter] = []
        var phase = Phase.pinned
        var nextWaiter = 0
        /// Connections in use by the threads that read with them, for reads inside reads.
        var holders: [pthread_t: StoreConnection] = [:]
        /// Cursors that are open, each with a connection of its own.
        var cursors: [ObjectIdentifier: OpenCursor] = [:]
    }

    struct OpenCursor {
        weak var cursor: RowCursor?
    }

    enum Phase {
        case pinned
        /// Its connections are being taken away; who wants to read waits for what comes next.
        case releasing
        /// Reads go to the generation after it.
        case moved(Generation)
        /// The store is closed, or moving did not succeed: there is no state left to read.
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
        // Reads hold a reference, so all connections are idle here.
        for connection in state.withLock({ $0.idle }) { pool.giveBack(connection) }
    }

    // MARK: Connections

    enum Lease {
        case connection(StoreConnection)
        case moved(Generation)
        case failed
        /// The `wake` that was given is called when it is worth asking again.
        case wait(Int)
    }

    /// A connection that is free, or a place in the line.
    ///
    /// Reads with a time limit leave one connection to the others, so that slow ones cannot hold up the main context.
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

    /// A connection that nobody needs just now, without a place in the line.
    func leaseIfIdle() -> StoreConnection? {
        state.withLock { state in
            guard case .pinned = state.phase, state.idle.count > kept(true) else { return nil }
            return state.idle.removeLast()
        }
    }

    /// Ends a lease.
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

    /// Gives a place in the line up; who was woken already wakes the next one instead.
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

    /// Notes that this thread reads with the connection until `body` ends.
    func holding<T>(_ connection: StoreConnection, _ body: () throws -> T) rethrows -> T {
        let thread = pthread_self()
        state.withLock { $0.holders[thread] = connection }
        defer { state.withLock { $0.holders[thread] = nil } }
        return try body()
    }

    /// The connection that this thread is reading with already.
    func held() -> StoreConnection? {
        state.withLock { $0.holders[pthread_self()] }
    }

    // MARK: Moving

    /// Takes the idle connections away; busy ones follow when their reads end.
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

    /// Reads that begin later fail, and so do cursors, which stand between two reads.
    func fail() {
        leave(.failed)
        for cursor in state.withLock({ $0.cursors.values.compactMap(\.cursor) }) { cursor.end() }
    }

    // MARK: Cursors

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
