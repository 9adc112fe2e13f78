import GRDB
import TributaryChanges

/// Writes `tributary_conflict`, whose size is bounded, and counts the conflicts that are not in it.
///
/// It belongs to one write transaction.
final class ConflictTable {
    /// The number of rows; a new one then replaces the oldest.
    static let rowLimit: Int64 = 10_000
    /// The number of rows that one write transaction replaces; further conflicts are only counted, so that a million of
    /// them cost little more than their detection.
    static let replacementLimit = 1_000
    /// The number of bytes of a value; longer ones are not kept.
    static let valueLimit = 1 << 20
    /// The setting with the number of conflicts that were removed or not kept.
    static let droppedKey = "conflicts.dropped"

    private let db: Database
    /// The least number in the table, and the number after the greatest; nil until the first conflict.
    private var range: Range<Int64>?
    private var replacedCount = 0
    /// Dropped conflicts that are not in the setting yet.
    private var droppedCount: Int64 = 0

    init(_ db: Database) {
        self.db = db
    }

    /// Whether another row is kept, and not only counted.
    func hasRoom() throws -> Bool {
        try Int64(numbers().count) < ConflictTable.rowLimit || replacedCount < ConflictTable.replacementLimit
    }

    /// Counts a conflict that is not kept.
    func drop() { droppedCount += 1 }

    /// Adds a row; `transaction` is the number of the transaction that is being merged.
    func insert(_ entry: ConflictEntry, transaction: Int64) throws {
        var range = try numbers()
        if Int64(range.count) >= ConflictTable.rowLimit {
            let delete = try BoundStatement(db, "DELETE FROM tributary_conflict WHERE number = ?1")
            delete.bind(1, range.lowerBound)
            try delete.run()
            range = (range.lowerBound + 1)..<range.upperBound
            replacedCount += 1
            droppedCount += 1
        }
        let insert = try BoundStatement(
            db,
            """
            INSERT INTO tributary_conflict(number, found, kind, rule, entity, id, property,
                losing, losing_value, winning, winning_value, object)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
            """
        )
        insert.bind(1, range.upperBound)
        insert.bind(2, transaction)
        insert.bind(3, entry.kind.rawValue)
        insert.bind(4, entry.rule.rawValue)
        insert.bind(5, entry.entity)
        insert.bind(6, entry.id)
        insert.bind(7, entry.property)
        insert.bind(8, entry.losing)
        insert.bind(9, text(entry.losingValue))
        insert.bind(10, entry.winning)
        insert.bind(11, text(entry.winningValue))
        insert.bind(12, text(entry.object))
        try insert.run()
        self.range = range.lowerBound..<(range.upperBound + 1)
    }

    /// Records that a transaction has restored the losing value of a conflict.
    func markRestored(_ number: Int64, by transaction: Int64) throws {
        let update = try BoundStatement(db, "UPDATE tributary_conflict SET restored = ?2 WHERE number = ?1")
        update.bind(1, number)
        update.bind(2, transaction)
        try update.run()
    }

    /// Records the number of dropped conflicts.
    func flush() throws {
        guard droppedCount > 0 else { return }
        let add = try BoundStatement(
            db,
            """
            INSERT INTO tributary_setting(key, value) VALUES (?1, ?2)
            ON CONFLICT DO UPDATE SET value = CAST(value AS INTEGER) + ?2
            """
        )
        add.bind(1, ConflictTable.droppedKey)
        add.bind(2, droppedCount)
        try add.run()
        droppedCount = 0
    }

    private func text(_ value: JSONValue?) -> String? {
        guard let bytes = value?.canonicalBytes, bytes.count <= ConflictTable.valueLimit else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The numbers of the rows, which follow each other because only the oldest is ever removed.
    private func numbers() throws -> Range<Int64> {
        if let range { return range }
        let select = try BoundStatement(
            db,
            "SELECT (SELECT min(number) FROM tributary_conflict), (SELECT max(number) FROM tributary_conflict)"
        )
        let found = try select.first { row in
            (row.optionalInteger(0) ?? 1)..<((row.optionalInteger(1) ?? 0) + 1)
        }
        let range = found ?? 1..<1
        self.range = range
        return range
    }
}
