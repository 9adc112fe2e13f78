package import GRDB
import TributaryChanges
import TributaryModel

/// Packs the changes of a transaction into rows of `tributary_history`.
///
/// A change is the object's UUID and the key of its ``HistoryShape``. A row contains the common first bytes of the UUIDs
/// once, and the key once if all its changes have one shape.
final class HistoryWriter {
    static let capacity = 400
    /// In bytes, so that a row fits into one page of 4 KiB.
    private static let byteCapacity = 4_000
    private static let recordSize = 20

    private let insert: BoundStatement
    private let shapes: HistoryShapeTable
    private var keys: [HistoryShape: [UInt32]] = [:]
    private static let keyLimit = 10_000

    /// Bounds the shapes with several properties, because foreign writers may use any number of sets of properties.
    static let shapeLimit = 10_000
    private var shapeCount: Int?

    init(_ db: Database) throws {
        insert = try BoundStatement(
            db,
            "INSERT INTO tributary_history(transaction_number, shape, common, objects) VALUES (?1, ?2, ?3, ?4)"
        )
        shapes = HistoryShapeTable(db: db)
    }

    func append(_ id: UniqueID, _ key: UInt32, to transaction: AppliedTransaction) throws {
        withUnsafeTemporaryAllocation(byteCount: HistoryWriter.recordSize, alignment: 8) { buffer in
            id.write(to: buffer)
            buffer.storeBytes(of: key.bigEndian, toByteOffset: 16, as: UInt32.self)
            transaction.records.append(contentsOf: buffer)
        }
        if transaction.records.count >= HistoryWriter.capacity * HistoryWriter.recordSize { try insertRow(transaction) }
    }

    func flush(_ transaction: AppliedTransaction) throws {
        while !transaction.records.isEmpty { try insertRow(transaction) }
    }

    private func insertRow(_ transaction: AppliedTransaction) throws {
        let inserted = try transaction.records.withUnsafeBytes { records in
            func word<T: FixedWidthInteger>(_ start: Int, as type: T.Type) -> T {
                T(bigEndian: records.loadUnaligned(fromByteOffset: start, as: type))
            }
            let key = word(16, as: UInt32.self)
            var (high, low, hasOneShape) = (0 as UInt64, 0 as UInt64, true)
            for start in stride(from: 0, to: records.count, by: HistoryWriter.recordSize) {
                high |= word(start, as: UInt64.self) ^ word(0, as: UInt64.self)
                low |= word(start + 8, as: UInt64.self) ^ word(8, as: UInt64.self)
                hasOneShape = hasOneShape && word(start + 16, as: UInt32.self) == key
            }
            let zeros = high == 0 ? 64 + low.leadingZeroBitCount : high.leadingZeroBitCount
            // Keeps at least one byte for each change, because rows count their changes by these bytes.
            let common = records.count == HistoryWriter.recordSize ? 0 : min(zeros / 8, 15)
            let end = hasOneShape ? 16 : HistoryWriter.recordSize
            let count = min(records.count / HistoryWriter.recordSize, HistoryWriter.byteCapacity / (end - common))
            var objects: [UInt8] = []
            objects.reserveCapacity(count * (end - common))
            for start in stride(from: 0, to: count * HistoryWriter.recordSize, by: HistoryWriter.recordSize) {
                objects.append(contentsOf: records[start + common..<start + end])
            }
            insert.bind(1, transaction.number)
            insert.bind(2, hasOneShape ? Array(records[16..<20]) : nil)
            insert.bind(3, Array(records[0..<common]))
            insert.bind(4, objects)
            try insert.run()
            return count * HistoryWriter.recordSize
        }
        if inserted == transaction.records.count {
            transaction.records.removeAll(keepingCapacity: true)
        } else {
            transaction.records.removeFirst(inserted)
        }
    }

    static func forEachChange(
        in row: BoundStatement,
        from first: Int32,
        _ block: (UniqueID, UInt32) throws -> Bool
    ) rethrows -> Bool {
        let shape = row.bytes(first)
        let common = row.bytes(first + 1)
        let width = 16 - common.count + (shape.isEmpty ? 4 : 0)
        guard common.count < 16, shape.isEmpty || shape.count == 4 else { return true }
        return try withUnsafeTemporaryAllocation(byteCount: recordSize, alignment: 8) { record in
            record.copyBytes(from: common)
            record[16...].copyBytes(from: shape)
            return try row.withBytes(first + 2) { objects in
                var start = 0
                while objects.count - start >= width {
                    record[common.count...].copyBytes(from: objects[start..<start + width])
                    let key = UInt32(bigEndian: record.loadUnaligned(fromByteOffset: 16, as: UInt32.self))
                    let id = UniqueID(bytes: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(record)[..<16]))
                    if try !block(id, key) { return false }
                    start += width
                }
                return true
            }
        }
    }

    func keys(_ entity: String, _ kind: HistoryTransaction.Kind, _ properties: [String]) throws -> [UInt32] {
        let shape = HistoryShape(entity: entity, kind: kind, properties: properties.sorted())
        if let known = keys[shape] { return known }
        let found = try key(shape).map { [$0] } ?? split(shape).compactMap(key)
        if keys.count >= HistoryWriter.keyLimit { keys.removeAll() }
        keys[shape] = found
        return found
    }

    /// Splits a shape into shapes of at most one property; the model bounds the number of such shapes.
    private func split(_ shape: HistoryShape) -> [HistoryShape] {
        let whole = shape.kind == .update ? [] : [HistoryShape(entity: shape.entity, kind: shape.kind, properties: [])]
        return whole + shape.properties.map { HistoryShape(entity: shape.entity, kind: .update, properties: [$0]) }
    }

    private func key(_ shape: HistoryShape) throws -> UInt32? {
        if let known = try shapes.key(of: shape) { return known }
        let count = try shapeCount ?? shapes.count()
        guard shape.properties.count < 2 || count < HistoryWriter.shapeLimit else {
            shapeCount = count
            return nil
        }
        shapeCount = count + 1
        return try shapes.insert(shape)
    }
}

struct HistoryShape: Hashable {
    var entity: String
    var kind: HistoryTransaction.Kind
    var properties: [String]
}

package struct HistoryShapeTable {
    private let db: Database

    package init(db: Database) {
        self.db = db
    }

    func shape(_ key: UInt32) throws -> HistoryShape? {
        let select = try BoundStatement(db, "SELECT entity, kind, properties FROM tributary_shape WHERE key = ?1")
        select.bind(1, key.bytes)
        return try select.first { row in
            HistoryTransaction.Kind(rawValue: row.text(1)).map {
                HistoryShape(entity: row.text(0), kind: $0, properties: HistoryShapeTable.names(row.text(2)))
            }
        } ?? nil
    }

    func key(of shape: HistoryShape) throws -> UInt32? {
        let select = try BoundStatement(
            db,
            "SELECT key FROM tributary_shape WHERE entity = ?1 AND kind = ?2 AND properties = ?3"
        )
        select.bindAll(shape.entity, shape.kind.rawValue, HistoryShapeTable.text(shape.properties))
        return try select.first(HistoryShapeTable.key)
    }

    func count() throws -> Int {
        try BoundStatement(db, "SELECT count(*) FROM tributary_shape").first { Int($0.integer(0)) } ?? 0
    }

    func insert(_ shape: HistoryShape) throws -> UInt32 {
        let last = try BoundStatement(db, "SELECT max(key) FROM tributary_shape").first(HistoryShapeTable.key)
        let key = (last ?? 0) &+ 1
        let insert = try BoundStatement(
            db,
            "INSERT INTO tributary_shape(key, entity, kind, properties) VALUES (?1, ?2, ?3, ?4)"
        )
        insert.bindAll(key.bytes, shape.entity, shape.kind.rawValue, HistoryShapeTable.text(shape.properties))
        try insert.run()
        return key
    }

    func removeAll(except used: Set<UInt32>) throws {
        let keys = try BoundStatement(db, "SELECT key FROM tributary_shape").all { HistoryShapeTable.key($0) }
        let delete = try BoundStatement(db, "DELETE FROM tributary_shape WHERE key = ?1")
        for key in keys where !used.contains(key) {
            delete.bind(1, key.bytes)
            try delete.run()
        }
    }

    package func rename(_ rename: (String, [String]) -> (entity: String, properties: [String])?) throws {
        let select = try BoundStatement(db, "SELECT key, entity, properties FROM tributary_shape")
        let shapes = try select.all { ($0.bytes(0), $0.text(1), HistoryShapeTable.names($0.text(2))) }
        let update = try BoundStatement(db, "UPDATE tributary_shape SET entity = ?2, properties = ?3 WHERE key = ?1")
        for (key, entity, properties) in shapes {
            guard let renamed = rename(entity, properties) else { continue }
            update.bindAll(key, renamed.entity, HistoryShapeTable.text(renamed.properties.sorted()))
            try update.run()
        }
    }

    private static func key(_ row: BoundStatement) -> UInt32 {
        row.withBytes(0) { $0.count == 4 ? UInt32(bigEndian: $0.loadUnaligned(as: UInt32.self)) : 0 }
    }

    private static func text(_ names: [String]) -> String { JSONValue.array(names.map { .string($0) }).text }

    private static func names(_ json: String) -> [String] {
        guard case .array(let values)? = JSONValue(text: json) else { return [] }
        return values.compactMap { if case .string(let name) = $0 { name } else { nil } }
    }
}

extension UInt32 {
    fileprivate var bytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}

extension WriteTransaction {
    package func setHistoryConsumer(_ name: String, number: Int64) throws {
        let now = reader.context.configuration.environment.wallTime().unixSeconds
        try setSetting(HistoryReader.consumerPrefix + name, to: "\(number) \(now)")
    }

    package func removeHistoryConsumer(_ name: String) throws {
        try setSetting(HistoryReader.consumerPrefix + name, to: nil)
    }

    /// Keeps history that a consumer has not read yet.
    package func deleteHistory(before number: Int64) throws {
        let waiting = try reader.history.consumers().map(\.number).min()
        let last = max(number, 1) - 1
        try purgeHistory(through: min(last, waiting ?? last))
    }

    func purgeHistory(through last: Int64) throws {
        let newest = try reader.history.newestTransaction()
        let last = min(last, newest)
        guard last > (try reader.history.oldestNumber()) else { return }
        for table in ["tributary_history", "tributary_tombstone"] {
            try BoundStatement(db, "DELETE FROM \(table) WHERE transaction_number <= \(value: last)").run()
        }
        try removeUnusedShapes()
        try setSetting(HistoryReader.purgedHistoryKey, to: String(last))
    }
}

extension WriteTransaction {
    /// Unused shapes are kept up to this number, because programs will use them again.
    private static let keptShapes = 1_000

    func removeUnusedShapes() throws {
        let shapes = HistoryShapeTable(db: db)
        // A merge engine caches the keys of shapes, so no shape may be removed while it exists.
        guard try shapes.count() > WriteTransaction.keptShapes, engineInUse == nil else { return }
        var used: Set<UInt32> = []
        try BoundStatement(db, "SELECT shape, common, objects FROM tributary_history").forEach { row in
            let hasOneShape = !row.isNull(0)
            _ = HistoryWriter.forEachChange(in: row, from: 0) { _, key in
                used.insert(key)
                return !hasOneShape
            }
        }
        try shapes.removeAll(except: used)
    }
}
