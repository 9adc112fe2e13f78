import GRDB
import TributaryChanges

/// Exports, settings and the end of history.
extension WriteTransaction {
    /// Records a range before its file gets its final name.
    package func beginExport(_ range: ExportRange) throws {
        let insert = try BoundStatement(
            db,
            "INSERT INTO tributary_export(writer, first, last, header, sha256) VALUES (?4, ?1, ?2, ?3, NULL)"
        )
        insert.bind(4, try writers().position(of: range.writer).id)
        insert.bind(1, Int64(bitPattern: range.first))
        insert.bind(2, Int64(bitPattern: range.last))
        insert.bind(3, range.header)
        try insert.run()
    }

    /// Records that the file of a range has its final name.
    package func finishExport(_ range: ExportRange, sha256: String) throws {
        let update = try BoundStatement(db, "UPDATE tributary_export SET sha256 = ?2 WHERE writer = ?3 AND first = ?1")
        update.bind(1, Int64(bitPattern: range.first))
        update.bind(2, sha256)
        update.bind(3, try writers().position(of: range.writer).id)
        try update.run()
        let record = SegmentRecord(writer: range.writer, first: range.first, last: range.last, sha256: sha256)
        try recordSegment(record, name: nil)
    }

    /// Peers see the name from the next exported segment on.
    package func nameOwnWriter(_ name: String) throws {
        let update = try BoundStatement(db, "UPDATE tributary_writer SET name = ?1 WHERE is_self = 1")
        update.bind(1, name)
        try update.run()
    }

    /// Nil removes the setting.
    package func setSetting(_ key: String, to value: String?) throws {
        try reader.settings.set(Setting(key), to: value)
    }

    /// Removes history and idempotency results from before the given Unix seconds, and exported lines of the outbox.
    ///
    /// The transactions themselves stay, because the versions of rows refer to them. The limit is a number, like
    /// the column that it is compared with, because a caller's date may lie between two milliseconds.
    package func purgeHistory(committedBefore seconds: Double) throws {
        let last = try TransactionTable(db).newest(committedBefore: seconds)
        // A consumer whose last sign of life is older than the kept history does not delay the removal.
        let heard = try reader.history.consumers().filter { $0.heardAt.unixSeconds >= seconds }.map(\.number)
        try purgeHistory(through: min(last, heard.min() ?? last))
        let answers = try BoundStatement(db, "DELETE FROM tributary_answer WHERE committed_at < ?1")
        answers.bind(1, seconds)
        try answers.run()
        try OutboxTable(db: db).deleteExported()
    }
}
