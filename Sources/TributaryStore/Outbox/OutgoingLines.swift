import CSQLite
import GRDB
import TributaryChanges

/// The lines of the local transaction that is open, before its header is known.
///
/// They take little memory: complete pieces of a long transaction wait in rows of the outbox with negative numbers, which
/// the same transaction deletes.
final class OutgoingLines {
    private let db: Database
    private(set) var changeCount = 0
    /// The bytes after the stored pieces.
    private var rest: [UInt8] = []
    private var pieces: Int64 = 0
    private var storedCount = 0

    init(_ db: Database) {
        self.db = db
    }

    func append(_ changes: [Change]) throws {
        changeCount += changes.count
        for change in changes {
            change.write(to: &rest)
            if rest.count >= LogTransaction.pieceSize { try store() }
        }
    }

    private func store() throws {
        pieces += 1
        let insert = try BoundStatement(
            db,
            "INSERT INTO tributary_outgoing(sequence, lines, changes) VALUES (?1, ?2, 0)"
        )
        insert.bind(1, -pieces)
        insert.bind(2, rest)
        try insert.run()
        insert.clearBindings()
        storedCount += rest.count
        rest.removeAll(keepingCapacity: true)
        guard pieces % OutgoingLines.piecesInCache == 0 else { return }
        // SQLite writes what has changed to the WAL only when its cache is full.
        sqlite3_db_cacheflush(db.sqliteConnection)
        sqlite3_db_release_memory(db.sqliteConnection)
    }

    /// The number of stored pieces, 2 MiB, after which the cache is emptied.
    private static let piecesInCache: Int64 = 8

    /// Adds the transaction to the outbox, once for all lines.
    func finish(_ header: TransactionHeader, origin: OutgoingOrigin) throws {
        var first: [UInt8] = []
        header.write(to: &first)
        let table = OutboxTable(db: db)
        guard pieces > 0 else { return try table.insert(header, origin: origin, lines: first + rest) }
        // The lines are written once, so that they need no cache.
        let cache = try BoundStatement(db, "PRAGMA cache_size").first { $0.integer(0) } ?? 0
        sqlite3_db_cacheflush(db.sqliteConnection)
        try db.execute(sql: "PRAGMA cache_size = -2048")
        defer { try? db.execute(sql: "PRAGMA cache_size = \(cache)") }
        try table.insert(header, origin: origin, lines: nil, count: first.count + storedCount + rest.count)
        let whole = try table.blob(header.sequence, isWritable: true)
        var offset = 0
        func write(_ bytes: UnsafeRawBufferPointer) throws {
            try whole.write(bytes, at: offset)
            offset += bytes.count
        }
        try first.withUnsafeBytes(write)
        for piece in 1...pieces { try table.blob(UInt64(bitPattern: -piece)).read(write) }
        try rest.withUnsafeBytes(write)
        try whole.close()
        try BoundStatement(db, "DELETE FROM tributary_outgoing WHERE sequence < 0").run()
    }
}
