import CSQLite
import GRDB
import TributaryChanges

/// The lines of the open local transaction, before its header is known.
///
/// Complete pieces of a long transaction wait in rows of the outbox, to save memory. A single save stays in memory,
/// because SQLite would write its lines three times.
final class OutgoingLines {
    private struct Part {
        var rest: [UInt8] = []
        var pieces: [Int64] = []
    }

    private let db: Database
    private(set) var changeCount = 0
    private var deletions = Part()
    private var others = Part()
    private var pieceCount = 0
    private var storedCount = 0

    init(_ db: Database) {
        self.db = db
    }

    func append(_ changes: [Change], isWhole: Bool = false) throws {
        changeCount += changes.count
        for change in changes {
            if change.operation == .delete {
                try append(change, to: &deletions, isWhole)
            } else {
                try append(change, to: &others, isWhole)
            }
        }
    }

    private func append(_ change: Change, to part: inout Part, _ isWhole: Bool) throws {
        change.write(to: &part.rest)
        if !isWhole, part.rest.count >= LogTransaction.pieceSize { try store(&part) }
    }

    private func store(_ part: inout Part) throws {
        part.pieces.append(try OutboxTable(db: db).insert(writer: 0, sequence: UInt64(pieceCount), lines: part.rest))
        storedCount += part.rest.count
        part.rest.removeAll(keepingCapacity: true)
        pieceCount += 1
        guard pieceCount % OutgoingLines.piecesInCache == 0 else { return }
        // SQLite writes changed pages to the WAL only when its cache is full.
        sqlite3_db_cacheflush(db.sqliteConnection)
        sqlite3_db_release_memory(db.sqliteConnection)
    }

    /// The cache is emptied after this number of pieces, 2 MiB.
    private static let piecesInCache = 8

    func finish(_ header: TransactionHeader, writer: Int64) throws {
        var first: [UInt8] = []
        header.write(to: &first)
        let table = OutboxTable(db: db)
        guard pieceCount > 0 else {
            // In place, because the other changes may be long.
            others.rest.insert(contentsOf: first + deletions.rest, at: 0)
            try table.insert(
                writer: writer,
                sequence: header.sequence,
                lines: others.rest,
                changes: header.changeCount
            )
            return
        }
        // The lines are written once, so they need no cache.
        let cache = try BoundStatement(db, "PRAGMA cache_size").first { $0.integer(0) } ?? 0
        sqlite3_db_cacheflush(db.sqliteConnection)
        try db.execute(sql: "PRAGMA cache_size = -2048")
        defer { try? db.execute(sql: "PRAGMA cache_size = \(cache)") }
        let count = first.count + storedCount + deletions.rest.count + others.rest.count
        let row = try table.insert(
            writer: writer,
            sequence: header.sequence,
            lines: nil,
            count: count,
            changes: header.changeCount
        )
        let whole = try table.blob(row, isWritable: true)
        var offset = 0
        func write(_ bytes: UnsafeRawBufferPointer) throws {
            try whole.write(bytes, at: offset)
            offset += bytes.count
        }
        try first.withUnsafeBytes(write)
        for part in [deletions, others] {
            for piece in part.pieces { try table.blob(piece).read(write) }
            try part.rest.withUnsafeBytes(write)
        }
        try whole.close()
        try table.deletePieces()
    }
}
