import GRDB
package import TributaryChanges
import TributaryModel

package struct HistoryReader {
    let reader: Reader

    var database: Database { reader.database }
    var context: StoreContext { reader.context }

    /// Tokens of history contain this name; a store that was set back gets a new name, because it reuses numbers.
    package func name() throws -> String { try reader.setting(IdentityKeys.history) ?? "" }

    package func newestTransaction() throws -> Int64 { try TransactionTable(database).newest().number }

    /// True also if history has purged the transaction.
    func has(_ transaction: WriterToken.Newest) throws -> Bool {
        if transaction.number == 0 { return true }
        let clock = try TransactionTable(database).clock(of: transaction.number)
        return try clock.map { $0 == transaction.clock } ?? (transaction.number < newestTransaction())
    }

    /// In order; the clock of a transaction may be ahead, so the time is at most the time of the commit.
    package func times(
        after number: Int64,
        limit: Int
    ) throws -> [(number: Int64, writer: UniqueID, time: WallTime)] {
        return try BoundStatement(
            database,
            """
            SELECT t.number, w.uuid, t.clock, t.committed_at
            FROM tributary_transaction t JOIN tributary_writer w ON w.id = t.writer
            WHERE t.number > \(value: number) ORDER BY t.number LIMIT \(value: limit)
            """
        ).all { row in
            let time = min(row.clock(2).wallTime, WallTime(unixSeconds: row.double(3)))
            return UniqueID(row.text(1)).map { (row.integer(0), $0, time) }
        }
    }

    package func transactions(after number: Int64, limit: Int) throws -> [HistoryTransaction] {
        try page(after: number, limit: limit, changeLimit: .max, byteLimit: .max).transactions
    }

    package struct Page: Sendable {
        package var transactions: [HistoryTransaction]
        /// The number of changes of the last transaction that are up to the end of the page; nil if no changes follow.
        package var cut: Int?
        package var hasMore: Bool
    }

    package func page(
        after number: Int64,
        skipping skipped: Int = 0,
        limit: Int,
        changeLimit: Int,
        byteLimit: Int
    ) throws -> Page {
        var found = try headers(after: number, limit: limit == .max ? limit : limit + 1)
        let hasMore = found.count > limit
        if hasMore { found.removeLast() }
        guard let last = found.last else { return Page(transactions: [], hasMore: false) }
        var indexes: [Int64: Int] = [:]
        for (index, transaction) in found.enumerated() { indexes[transaction.number] = index }
        var (index, position, changes, bytes) = (0, 0, 0, 0)
        var end: (index: Int, position: Int)?
        try forEachChange(after: number, through: last.number) { number, shape, id in
            guard let next = indexes[number] else { return true }
            if next != index { (index, position) = (next, 0) }
            defer { position += 1 }
            if index == 0, position < skipped { return true }
            let size = shape.properties.reduce(shape.entity.utf8.count) { $0 + $1.utf8.count }
            guard changes == 0 || (changes < changeLimit && bytes + size <= byteLimit) else {
                end = (index, position)
                return false
            }
            (changes, bytes) = (changes + 1, bytes + size)
            found[index].changes.append(
                .init(id: objectID(id, entity: shape.entity), kind: shape.kind, properties: shape.properties)
            )
            return true
        }
        guard let end else { return Page(transactions: found, hasMore: hasMore) }
        let isCut = end.position > 0
        found.removeSubrange((isCut ? end.index + 1 : end.index)...)
        return Page(transactions: found, cut: isCut ? end.position : nil, hasMore: true)
    }

    private func headers(after number: Int64, limit: Int) throws -> [HistoryTransaction] {
        return try BoundStatement(
            database,
            """
            SELECT t.number, w.uuid, t.sequence, t.clock, t.author, t.context, t.committed_at
            FROM tributary_transaction t JOIN tributary_writer w ON w.id = t.writer
            WHERE t.number > \(value: number) ORDER BY t.number LIMIT \(value: limit)
            """
        ).all { row in
            HistoryTransaction(
                number: row.integer(0),
                writer: UniqueID(row.text(1)) ?? Version.none.writer,
                sequence: row.sequence(2),
                clock: row.clock(3),
                author: row.optionalText(4),
                contextName: row.optionalText(5),
                committedAt: WallTime(unixSeconds: row.double(6)),
                changes: []
            )
        }
    }

    /// The least number that ``transactions(after:limit:)`` accepts.
    package func oldestNumber() throws -> Int64 {
        try reader.setting(HistoryReader.purgedHistoryKey).flatMap { Int64($0) } ?? 0
    }

    static let purgedHistoryKey = "history.purged"

    package func changes(
        after number: Int64,
        through: Int64,
        limit: Int = ObjectChanges.defaultLimit
    ) throws -> ObjectChanges {
        var union = ObjectChanges(limit: limit)
        guard try oldestNumber() <= number else {
            union.collapseEverything()
            return union
        }
        try forEachChange(after: number, through: through) { _, shape, id in
            union.add(shape.kind, objectID(id, entity: shape.entity))
            return !union.isEverything
        }
        return union
    }

    /// Beyond `limit` objects, counts an object once for each transaction that changed it, so that memory stays bounded.
    package func counts(after number: Int64, through: Int64, limit: Int = ObjectChanges.defaultLimit) throws
        -> (inserted: Int, updated: Int, deleted: Int, isExact: Bool)
    {
        var union = ObjectChanges(limit: limit)
        var counts: [HistoryTransaction.Kind: Int] = [:]
        try forEachChange(after: number, through: through) { _, shape, id in
            counts[shape.kind, default: 0] += 1
            if !union.isEverything { union.add(shape.kind, objectID(id, entity: shape.entity)) }
            return true
        }
        guard union.isEverything || !union.collapsedEntities.isEmpty else {
            return (union.inserted.count, union.updated.count, union.deleted.count, true)
        }
        return (counts[.insert] ?? 0, counts[.update] ?? 0, counts[.delete] ?? 0, false)
    }

    package func idempotent(key: String) throws -> (number: Int64, detail: String)? {
        try AnswerTable(database).answer(to: key)
    }

    private func forEachChange(
        after number: Int64,
        through: Int64,
        _ block: (Int64, HistoryShape, UniqueID) throws -> Bool
    ) throws {
        var shapes: [UInt32: HistoryShape] = [:]
        let table = HistoryShapeTable(db: database)
        let statement = try BoundStatement(
            database,
            """
            SELECT transaction_number, shape, common, objects FROM tributary_history
            WHERE transaction_number > ?1 AND transaction_number <= ?2 ORDER BY transaction_number, rowid
            """
        )
        statement.bindAll(number, through)
        defer { statement.reset() }
        while try statement.step() {
            let number = statement.integer(0)
            let goesOn = try HistoryWriter.forEachChange(in: statement, from: 1) { id, key in
                guard let shape = try shapes[key] ?? table.shape(key) else { return true }
                shapes[key] = shape
                return try block(number, shape, id)
            }
            if !goesOn { return }
        }
    }

    private func objectID(_ id: UniqueID, entity: String) -> ManagedObjectID {
        ManagedObjectID(
            store: context.name,
            entity: entity,
            rootEntity: context.model.entity(named: entity)?.root ?? entity,
            uniqueID: id
        )
    }
}

extension ObjectChanges {
    mutating func add(_ kind: HistoryTransaction.Kind, _ id: ManagedObjectID) {
        switch kind {
        case .insert: insert(id)
        case .update: update(id)
        case .delete: delete(id)
        }
    }
}

extension HistoryReader {
    static let consumerPrefix = "history.consumer."

    package func consumers() throws -> [HistoryConsumer] {
        try reader.settings.texts(beginningWith: HistoryReader.consumerPrefix).compactMap { key, text in
            let parts = text.split(separator: " ")
            guard parts.count == 2, let number = Int64(parts[0]), let heardAt = Double(parts[1]) else { return nil }
            let name = String(key.dropFirst(HistoryReader.consumerPrefix.count))
            return HistoryConsumer(name: name, number: number, heardAt: WallTime(unixSeconds: heardAt))
        }
    }

    package func tombstones(after number: Int64, through: Int64) throws -> [Int64: [Tombstone: [String: JSONValue]]] {
        try PreservedValueTable(db: database, layout: context.layout).all(after: number, through: through)
    }
}

package struct HistoryConsumer: Sendable, Hashable {
    package var name: String
    package var number: Int64
    package var heardAt: WallTime
}

package struct HistoryQuery: Sendable {
    package var author: String?
    package var excludedAuthor: String?
    package var contextName: String?
    package var entities: Set<String>?

    package init(
        author: String? = nil,
        excludedAuthor: String? = nil,
        contextName: String? = nil,
        entities: Set<String>? = nil
    ) {
        self.author = author
        self.excludedAuthor = excludedAuthor
        self.contextName = contextName
        self.entities = entities
    }

    package func apply(to transaction: HistoryTransaction) -> HistoryTransaction? {
        if let author, transaction.author != author { return nil }
        if let excludedAuthor, transaction.author == excludedAuthor { return nil }
        if let contextName, transaction.contextName != contextName { return nil }
        guard let entities else { return transaction }
        var filtered = transaction
        filtered.changes.removeAll { !entities.contains($0.id.entity) }
        return filtered.changes.isEmpty ? nil : filtered
    }
}

package struct HistoryTransaction: Sendable, Hashable {
    package enum Kind: String, Sendable { case insert, update, delete }

    package struct Change: Sendable, Hashable {
        package var id: ManagedObjectID
        package var kind: Kind
        package var properties: [String]
    }

    package var number: Int64
    package var writer: UniqueID
    package var sequence: UInt64
    package var clock: HybridClock
    package var author: String?
    package var contextName: String?
    package var committedAt: WallTime
    package var changes: [Change]
}

package struct Tombstone: Hashable, Sendable {
    package var root: String
    package var id: UniqueID

    package init(root: String, id: UniqueID) {
        self.root = root
        self.id = id
    }
}
