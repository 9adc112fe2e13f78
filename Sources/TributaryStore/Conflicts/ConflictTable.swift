import GRDB
import TributaryChanges

/// Writes `tributary_conflict` during one write transaction, and counts the conflicts that exceed its limits.
final class ConflictTable {
    static let rowLimit: Int64 = 10_000
    /// In rows for each write transaction; further conflicts are only counted, so a million of them stay cheap.
    static let replacementLimit = 1_000
    /// In bytes; a longer value is not kept.
    static let valueLimit = 1 << 20
    /// For the values of all rows; the oldest rows make room for a new row.
    static let byteLimit: Int64 = 32 << 20
    static let bytesKey = "conflicts.bytes"
    static let droppedKey = "conflicts.dropped"

    private let db: Database
    /// Nil until the first conflict of the transaction.
    private var range: Range<Int64>?
    private var bytes: Int64?
    private var replacedCount = 0
    private var droppedCount: Int64 = 0

    init(_ db: Database) {
        self.db = db
    }

    func hasRoom() throws -> Bool {
        if replacedCount < ConflictTable.replacementLimit { return true }
        return try Int64(numbers().count) < ConflictTable.rowLimit && keptBytes() < ConflictTable.byteLimit
    }

    func drop() { droppedCount += 1 }

    func insert(_ entry: ConflictEntry, transaction: Int64) throws {
        let values = [entry.losingValue, entry.winningValue, entry.object].map(text)
        let size = values.reduce(0) { $0 + Int64($1?.utf8.count ?? 0) }
        try makeRoom(for: size)
        let (range, bytes) = (try numbers(), try keptBytes() + size)
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
        insert.bind(4, entry.rule.name)
        insert.bind(5, entry.entity)
        insert.bind(6, entry.id)
        insert.bind(7, entry.property)
        insert.bind(8, entry.losing)
        insert.bind(9, values[0])
        insert.bind(10, entry.winning)
        insert.bind(11, values[1])
        insert.bind(12, values[2])
        try insert.run()
        self.range = range.lowerBound..<(range.upperBound + 1)
        self.bytes = bytes
    }

    private func makeRoom(for size: Int64) throws {
        var range = try numbers()
        while !range.isEmpty,
            try Int64(range.count) >= ConflictTable.rowLimit || keptBytes() + size > ConflictTable.byteLimit
        {
            let known = try keptBytes()
            let removed = try BoundStatement(
                db,
                "DELETE FROM tributary_conflict WHERE number = \(value: range.lowerBound) RETURNING \(ConflictTable.size)"
            ).first { $0.integer(0) }
            bytes = max(0, known - (removed ?? 0))
            range = (range.lowerBound + 1)..<range.upperBound
            self.range = range
            replacedCount += 1
            droppedCount += 1
        }
    }

    private static let size = ["losing_value", "winning_value", "object"]
        .map { "ifnull(length(CAST(\($0) AS BLOB)), 0)" }.joined(separator: " + ")

    private func keptBytes() throws -> Int64 {
        if let bytes { return bytes }
        let kept = try SettingTable(db).value(of: Setting<Int64>(ConflictTable.bytesKey)) ?? 0
        bytes = kept
        return kept
    }

    func markRestored(_ number: Int64, by transaction: Int64) throws {
        let update = try BoundStatement(db, "UPDATE tributary_conflict SET restored = ?2 WHERE number = ?1")
        update.bindAll(number, transaction)
        try update.run()
    }

    func flush() throws {
        let settings = SettingTable(db)
        if let bytes { try settings.set(Setting(ConflictTable.bytesKey), to: bytes) }
        guard droppedCount > 0 else { return }
        let dropped = Setting<Int64>(ConflictTable.droppedKey)
        try settings.set(dropped, to: (settings.value(of: dropped) ?? 0).addingSaturating(droppedCount))
        droppedCount = 0
    }

    private func text(_ value: JSONValue?) -> String? {
        guard let bytes = value?.canonicalBytes, bytes.count <= ConflictTable.valueLimit else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The numbers have no gaps, because only the oldest row is ever removed.
    private func numbers() throws -> Range<Int64> {
        if let range { return range }
        let found = try BoundStatement(
            db,
            "SELECT (SELECT min(number) FROM tributary_conflict), (SELECT max(number) FROM tributary_conflict)"
        ).first { row in
            (row.optionalInteger(0) ?? 1)..<((row.optionalInteger(1) ?? 0) + 1)
        }
        let range = found ?? 1..<1
        self.range = range
        return range
    }
}

struct ConflictEntry {
    var kind: Conflict.Kind
    var rule: Conflict.Rule
    var entity: String
    var id: UniqueID
    var property: String
    var losing: Int64
    var losingValue: JSONValue
    var winning: Int64
    var winningValue: JSONValue?
    var object: JSONValue?
}
