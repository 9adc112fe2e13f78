import GRDB
package import TributaryChanges

/// Reads the writers' positions and the segments that contain their applied transactions.
///
/// Its functions throw ``StoreError`` when the store cannot be read.
package struct WriterReader {
    let reader: Reader

    private var database: Database { reader.database }

    package func all() throws -> [WriterRecord] { try records(where: "1", seen: seen(where: "1")) }

    /// The record of one writer; nil when none of its transactions was applied.
    package func record(of writer: UniqueID) throws -> WriterRecord? {
        let condition = "w.uuid = '\(writer)'"
        return try records(where: condition, seen: seen(where: condition)).first
    }

    /// The record of the store's own writer, without what it has seen of others: that may be as much as there are writers.
    package func own() throws -> WriterRecord {
        guard let own = try records(where: "w.is_self = 1", seen: [:]).first else {
            throw StoreError.database(code: 11, message: "the store has no writer of its own")
        }
        return own
    }

    /// The row, the identifier, the name and the last sequence of the store's own writer.
    static func own(_ db: Database) throws -> (row: Int64, id: UniqueID, name: String?, sequence: UInt64) {
        let select = try BoundStatement(db, "SELECT id, uuid, name, sequence FROM tributary_writer WHERE is_self = 1")
        let found = try select.first { row in
            UniqueID(row.text(1)).map {
                (row.integer(0), $0, row.optionalText(2), UInt64(bitPattern: row.integer(3)))
            }
        }
        guard let own = found ?? nil else {
            throw StoreError.database(code: 11, message: "the store has no writer of its own")
        }
        return own
    }

    /// The reason why the store's unpublished transactions cannot get clocks that are not ahead, under another writer; nil
    /// when they can.
    ///
    /// O(n log n) for these transactions and those with clocks that are ahead, and one look at each transaction.
    package func obstacleToNewClocks(after greatest: HybridClock) throws -> WriterMintError? {
        let mint = WriterMint(greatestClock: greatest)
        return try WriterMinting(database, context: reader.context, mint).obstacle()
    }

    /// The writer whose identifier tokens of history carry: the store's first own one.
    package func tokenWriter() throws -> String {
        try reader.setting(IdentityKeys.tokens) ?? WriterReader.own(database).id.description
    }

    /// The acknowledgements of all branches of a forked writer count, whichever of them came first.
    private func seen(where condition: String) throws -> [UniqueID: VersionVector] {
        var seen: [UniqueID: VersionVector] = [:]
        let pairs = try BoundStatement(
            database,
            """
            SELECT w.uuid, o.uuid, max(s.sequence) FROM tributary_writer w
            JOIN tributary_seen s ON s.writer = w.id JOIN tributary_writer o ON o.id = s.other
            WHERE \(condition) AND o.branch = '' AND o.uuid <> w.uuid GROUP BY w.uuid, o.uuid
            """
        )
        try pairs.forEach { row in
            guard let id = UniqueID(row.text(0)), let other = UniqueID(row.text(1)) else { return }
            seen[id, default: VersionVector()][other] = UInt64(bitPattern: row.integer(2))
        }
        return seen
    }

    private func records(where condition: String, seen: [UniqueID: VersionVector]) throws -> [WriterRecord] {
        let branches = try self.branches()
        var found: [WriterRecord] = []
        let writers = try BoundStatement(
            database,
            """
            SELECT w.id, w.uuid, w.name, w.sequence, w.clock, w.hash, w.is_self, w.state FROM tributary_writer w
            WHERE \(condition) AND w.branch = '' ORDER BY w.uuid
            """
        )
        try writers.forEach { row in
            guard let id = UniqueID(row.text(1)) else { return }
            found.append(
                WriterRecord(
                    id: id,
                    name: row.optionalText(2),
                    sequence: UInt64(bitPattern: row.integer(3)),
                    clock: HybridClock(rawValue: UInt64(bitPattern: row.integer(4))),
                    lastSegmentHash: row.optionalText(5),
                    seen: seen[id] ?? VersionVector(),
                    isSelf: row.integer(6) != 0,
                    state: row.optionalText(7).flatMap(WriterState.init),
                    branches: branches[id] ?? []
                )
            )
        }
        return found
    }

    /// The branches of forked writers, in the order of the hashes with which they begin.
    private func branches() throws -> [UniqueID: [WriterBranch]] {
        let select = try BoundStatement(
            database,
            """
            SELECT id, uuid, branch, start, sequence, clock, hash FROM tributary_writer
            INDEXED BY tributary_writer_branch WHERE branch <> '' ORDER BY branch
            """
        )
        var found: [UniqueID: [WriterBranch]] = [:]
        try select.forEach { row in
            guard let writer = UniqueID(row.text(1)) else { return }
            found[writer, default: []].append(
                WriterBranch(
                    row: row.integer(0),
                    firstHash: row.text(2),
                    start: UInt64(bitPattern: row.integer(3)),
                    sequence: UInt64(bitPattern: row.integer(4)),
                    clock: HybridClock(rawValue: UInt64(bitPattern: row.integer(5))),
                    lastHash: row.optionalText(6)
                )
            )
        }
        return found
    }

    // MARK: Segments

    package func segment(writer: UniqueID, first: UInt64) throws -> SegmentRecord? {
        let statement = try BoundStatement(database, WriterReader.selectSegments + " AND s.first = ?2")
        statement.bind(1, writer.description)
        statement.bind(2, Int64(bitPattern: first))
        return try statement.first { WriterReader.segment($0, writer) }
    }

    /// The last applied or exported segment that begins at or before this sequence.
    package func segment(writer: UniqueID, beginningBy sequence: UInt64) throws -> SegmentRecord? {
        let order = " AND s.first <= ?2 ORDER BY s.first DESC LIMIT 1"
        let statement = try BoundStatement(database, WriterReader.selectSegments + order)
        statement.bind(1, writer.description)
        statement.bind(2, Int64(clamping: sequence))
        return try statement.first { WriterReader.segment($0, writer) }
    }

    package func segment(writer: UniqueID, holding sequence: UInt64) throws -> SegmentRecord? {
        let found = try segment(writer: writer, beginningBy: sequence)
        return found.flatMap { $0.last >= sequence ? $0 : nil }
    }

    /// The applied segment with a transaction of one of the writer's branches, or of its first line.
    ///
    /// - Returns: The segment; nil when it is not recorded, as that of a partly applied one.
    package func segment(writer: UniqueID, branch: String, holding sequence: UInt64) throws -> SegmentRecord? {
        let condition = " AND w.branch = ?3 AND s.first <= ?2 ORDER BY s.first DESC LIMIT 1"
        let statement = try BoundStatement(database, WriterReader.selectAllSegments + condition)
        statement.bind(1, writer.description)
        statement.bind(2, Int64(clamping: sequence))
        statement.bind(3, branch)
        let found = try statement.first { WriterReader.segment($0, writer) }
        return found.flatMap { $0.last >= sequence ? $0 : nil }
    }

    /// Applied segments of a writer, in order of `first`.
    package func segments(writer: UniqueID) throws -> [SegmentRecord] {
        let statement = try BoundStatement(database, WriterReader.selectSegments + " ORDER BY s.first")
        statement.bind(1, writer.description)
        var found: [SegmentRecord] = []
        try statement.forEach { found.append(WriterReader.segment($0, writer)) }
        return found
    }

    /// The applied segments of a writer that end with a transaction, in its first line and in its branches.
    package func segments(writer: UniqueID, endingWith last: UInt64) throws -> [SegmentRecord] {
        let greatest = "SELECT max(e.first) FROM tributary_segment e WHERE e.writer = w.id AND e.first <= ?2"
        return try segments(writer: writer, where: "s.first = (\(greatest)) AND s.last = ?2", last)
    }

    /// The applied segments of a writer that begin with a transaction, in its first line and in its branches.
    package func segments(writer: UniqueID, beginningWith first: UInt64) throws -> [SegmentRecord] {
        try segments(writer: writer, where: "s.first = ?2", first)
    }

    /// The applied segments of a writer's branches, in order.
    package func branchSegments(writer: UniqueID) throws -> [SegmentRecord] {
        let statement = try BoundStatement(
            database,
            WriterReader.selectAllSegments + " AND w.branch <> '' ORDER BY s.first, s.sha256"
        )
        statement.bind(1, writer.description)
        var found: [SegmentRecord] = []
        try statement.forEach { found.append(WriterReader.segment($0, writer)) }
        return found
    }

    private func segments(
        writer: UniqueID,
        where condition: String,
        _ sequence: UInt64
    ) throws -> [SegmentRecord] {
        let statement = try BoundStatement(
            database,
            WriterReader.selectAllSegments + " AND \(condition) ORDER BY w.branch"
        )
        statement.bind(1, writer.description)
        statement.bind(2, Int64(clamping: sequence))
        var found: [SegmentRecord] = []
        try statement.forEach { found.append(WriterReader.segment($0, writer)) }
        return found
    }

    private static let selectAllSegments = """
        SELECT s.first, s.last, s.sha256, s.parked, w.branch, s.previous FROM tributary_segment s
        JOIN tributary_writer w ON w.id = s.writer WHERE w.uuid = ?1
        """

    static let selectSegments = selectAllSegments + " AND w.branch = ''"

    static func segment(_ row: BoundStatement, _ writer: UniqueID) -> SegmentRecord {
        SegmentRecord(
            writer: writer,
            first: UInt64(bitPattern: row.integer(0)),
            last: UInt64(bitPattern: row.integer(1)),
            sha256: row.text(2),
            deferredCount: Int(row.integer(3)),
            branch: row.text(4),
            previous: row.optionalText(5)
        )
    }
}
