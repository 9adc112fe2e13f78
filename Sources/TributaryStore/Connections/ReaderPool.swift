import GRDB
import Synchronization

/// Connections that read; the pool opens them on demand and keeps them for the next reader.
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
    /// Idle connections beyond this number are closed.
    private static let idleLimit = 8

    init(path: String, trace: SQLTrace? = nil) {
        self.path = path
        self.trace = trace
    }

    /// Lends a connection; the borrower returns it with ``giveBack(_:)``.
    func lend() throws -> StoreConnection {
        let idle = try state.withLock { state -> StoreConnection? in
            guard !state.isClosed else { throw StoreError.closed }
            return state.idle.popLast()
        }
        return try idle ?? StoreConnection.reader(path: path, trace: trace)
    }

    /// Ends the connection's transaction, if one is open, and keeps the connection for other readers.
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

    /// Registers a generation that holds connections, so that closing the pool can release them.
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

    /// Closes idle connections now, and connections in use when they are returned.
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
