import GRDB
import TributaryModel

/// The cursor uses a connection of its generation until it is released, or the store closes.
///
/// `@unchecked Sendable`: the mutable state is accessed only on the connection's queue.
package final class RowCursor: @unchecked Sendable {
    package let generation: Generation
    private let connection: StoreConnection
    private let query: FetchQuery
    private let cancellation = ReadCancellation()
    private let place = Place()
    private var isOver = false
    private var isEnded = false

    /// The statement must be reset on the connection's queue.
    private final class Place: @unchecked Sendable {
        var statement: BoundStatement?
    }

    private init(_ query: FetchQuery, _ generation: Generation, _ connection: StoreConnection) {
        self.query = query
        self.generation = generation
        self.connection = connection
    }

    package static func open(_ query: FetchQuery, at generation: Generation) async throws -> RowCursor {
        let (generation, connection) = try await generation.leaseConnection()
        let cursor = RowCursor(query, generation, connection)
        try generation.add(cursor)
        return cursor
    }

    deinit {
        generation.remove(ObjectIdentifier(self))
        let (generation, connection, place) = (generation, connection, place)
        // The statement ends on the connection's queue, before other readers get the connection.
        connection.enqueue { _ in
            place.statement?.reset()
            place.statement = nil
            generation.giveBack(connection)
        }
    }

    func end() {
        connection.enqueue { database in
            self.isEnded = true
            self.place.statement?.reset()
            self.place.statement = nil
            if database.isInsideTransaction { try? database.execute(sql: "ROLLBACK") }
        }
    }

    /// At most `count` further rows; empty at the end.
    package func next(_ count: Int) async throws -> [Row] {
        try Task.checkCancellation()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                connection.enqueue { database in
                    let reader = Reader(database: database, context: self.generation.context)
                    let result = Result {
                        try self.cancellation.guarding(database) {
                            try StoreError.mapping { try self.step(reader, count) }
                        }
                    }
                    continuation.resume(with: result)
                }
            }
        } onCancel: {
            cancellation.cancel()
        }
    }

    private func step(_ reader: Reader, _ count: Int) throws -> [Row] {
        guard !isEnded else { throw StoreError.closed }
        guard !isOver, let reading = reader.reading(rootEntity: query.entity.root) else { return [] }
        let statement = try place.statement ?? begin(reader, reading)
        place.statement = statement
        var rows: [Row] = []
        while rows.count < count {
            guard try statement.step() else {
                statement.reset()
                isOver = true
                break
            }
            if let row = reading.row(statement) { rows.append(row) }
        }
        return rows
    }

    private func begin(_ reader: Reader, _ reading: RowReading) throws -> BoundStatement {
        let sql = try FetchCompiler(query, reading: reading).select(.rows)
        // The cursor prepares its own statement, because cached statements are reset by their next user.
        return try BoundStatement(reader.database, query: sql)
    }
}
