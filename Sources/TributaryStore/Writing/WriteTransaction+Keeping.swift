import GRDB
package import TributaryChanges

extension WriteTransaction {
    /// Call before the file gets its final name; false if the transactions belong to another writer by now.
    @discardableResult
    package func beginExport(_ range: ExportRange) throws -> Bool {
        let run = try reader.outbox.run(of: range.writer, from: range.first, through: range.last, bytes: 1)
        guard run?.lowerBound == range.first else { return false }
        try OutboxTable(db: db).begin(range, writer: writers().position(of: range.writer).id)
        return true
    }

    /// The file of the range was not and will not be published.
    package func giveUpExport(_ range: ExportRange) throws {
        try OutboxTable(db: db).giveUp(range, writer: writers().position(of: range.writer).id)
    }

    package func finishExport(_ range: ExportRange, sha256: String) throws {
        try OutboxTable(db: db).finish(range, writer: writers().position(of: range.writer).id, sha256: sha256)
        let record = SegmentRecord(writer: range.writer, first: range.first, last: range.last, sha256: sha256)
        try recordSegment(record, name: nil)
    }

    /// Peers see the name in the next exported segment.
    package func nameOwnWriter(_ name: String) throws {
        try writers().nameOwn(name)
    }

    package func setSetting(_ key: String, to value: String?) throws {
        try reader.settings.set(Setting(key), to: value)
    }

    /// Call when other stores have the lines up to `last`, so that no segment will contain them again.
    package func releaseExported(of writer: UniqueID, through last: UInt64) throws {
        try OutboxTable(db: db).deleteExported(writer: writers().position(of: writer).id, through: last)
    }

    /// Keeps the transactions, because versions of rows refer to them.
    ///
    /// `seconds` is a number, because a caller's date may lie between two milliseconds.
    package func purgeHistory(committedBefore seconds: Double) throws {
        let wall = reader.context.configuration.environment.wallTime()
        let first = try reader.history.oldestNumber()
        let last = try TransactionTable(db).last(after: first, committedBefore: seconds, wall: wall)
        // A consumer does not delay the removal when its last sign of life is older than the kept history, or in the
        // future, since the wall clock was ahead then.
        let heard = try reader.history.consumers().filter { $0.heardAt.unixSeconds >= seconds && $0.heardAt <= wall }
        try purgeHistory(through: min(last, heard.map(\.number).min() ?? last))
        try AnswerTable(db).remove(committedBefore: seconds, orAfter: wall, through: last)
    }
}
