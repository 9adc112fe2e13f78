import GRDB
package import TributaryChanges

extension Reader {
    /// All writers, the store's own included.
    package func writers() throws -> [WriterRecord] { try writers(where: "1") { _ in } }

    /// What the store knows of one writer.
    package func writer(_ id: UniqueID) throws -> WriterRecord? {
        try writers(where: "w.uuid = ?1") { $0.bind(1, id.description) }.first
    }

    /// The store's own writer.
    package func ownWriter() throws -> WriterRecord {
        guard let own = try writers(where: "w.is_self = 1", { _ in }).first else {
            throw StoreError.database(code: 11, message: "the store has no writer of its own")
        }
        return own
    }

    private func writers(where condition: String, _ bind: (BoundStatement) -> Void) throws -> [WriterRecord] {
        var seen: [Int64: VersionVector] = [:]
        let pairs = try BoundStatement(
            database,
            """
            SELECT s.writer, o.uuid, s.sequence FROM tributary_writer w
            JOIN tributary_seen s ON s.writer = w.id JOIN tributary_writer o ON o.id = s.other WHERE \(condition)
            """
        )
        bind(pairs)
        try pairs.forEach { row in
            guard let other = UniqueID(row.text(1)) else { return }
            seen[row.integer(0), default: VersionVector()][other] = UInt64(bitPattern: row.integer(2))
        }
        var found: [WriterRecord] = []
        let writers = try BoundStatement(
            database,
            """
            SELECT w.id, w.uuid, w.name, w.sequence, w.clock, w.hash, w.is_self FROM tributary_writer w
            WHERE \(condition) ORDER BY w.uuid
            """
        )
        bind(writers)
        try writers.forEach { row in
            guard let id = UniqueID(row.text(1)) else { return }
            found.append(
                WriterRecord(
                    id: id,
                    name: row.optionalText(2),
                    sequence: UInt64(bitPattern: row.integer(3)),
                    clock: HybridClock(rawValue: UInt64(bitPattern: row.integer(4))),
                    lastSegmentHash: row.optionalText(5),
                    seen: seen[row.integer(0)] ?? VersionVector(),
                    isSelf: row.integer(6) != 0
                )
            )
        }
        return found
    }

    /// The applied or exported segment that begins with this sequence.
    package func segment(writer: UniqueID, first: UInt64) throws -> SegmentRecord? {
        let statement = try BoundStatement(database, Reader.selectSegments + " AND s.first = ?2")
        statement.bind(1, writer.description)
        statement.bind(2, Int64(bitPattern: first))
        return try statement.first { Reader.segment($0, writer) }
    }

    /// The last applied or exported segment that begins at or before this sequence.
    package func segment(writer: UniqueID, beginningBy sequence: UInt64) throws -> SegmentRecord? {
        let order = " AND s.first <= ?2 ORDER BY s.first DESC LIMIT 1"
        let statement = try BoundStatement(database, Reader.selectSegments + order)
        statement.bind(1, writer.description)
        statement.bind(2, Int64(clamping: sequence))
        return try statement.first { Reader.segment($0, writer) }
    }

    /// Applied segments of a writer, in order of `first`.
    package func segments(writer: UniqueID) throws -> [SegmentRecord] {
        let statement = try BoundStatement(database, Reader.selectSegments + " ORDER BY s.first")
        statement.bind(1, writer.description)
        var found: [SegmentRecord] = []
        try statement.forEach { found.append(Reader.segment($0, writer)) }
        return found
    }

    /// A value of the store's own.
    package func setting(_ key: String) throws -> String? {
        let statement = try BoundStatement(database, "SELECT value FROM tributary_setting WHERE key = ?1")
        statement.bind(1, key)
        return try statement.first { $0.text(0) }
    }

    static let selectSegments = """
        SELECT s.first, s.last, s.sha256, s.parked FROM tributary_segment s
        JOIN tributary_writer w ON w.id = s.writer WHERE w.uuid = ?1
        """

    static func segment(_ row: BoundStatement, _ writer: UniqueID) -> SegmentRecord {
        SegmentRecord(
            writer: writer,
            first: UInt64(bitPattern: row.integer(0)),
            last: UInt64(bitPattern: row.integer(1)),
            sha256: row.text(2),
            parkedCount: Int(row.integer(3))
        )
    }
}
