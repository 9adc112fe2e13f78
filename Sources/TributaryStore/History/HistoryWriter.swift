import GRDB
import TributaryChanges
import TributaryModel

/// Packs the changes of a transaction into rows of `tributary_history`.
///
/// A change takes 20 bytes: the object's UUID and the key of a *shape*, which is the entity, the kind and the
/// properties that several changes have in common.
final class HistoryWriter {
    /// The records in a row: 200 records of 20 bytes fill one page of 4 KiB.
    static let capacity = 200

    struct Shape: Hashable {
        var entity: String
        var kind: HistoryTransaction.Kind
        var properties: [String]
    }

    private let insert: BoundStatement
    private let insertShape: BoundStatement
    private let selectKey: BoundStatement
    private let selectLastKey: BoundStatement
    /// The keys of the shapes that this write transaction has used.
    private var keys: [Shape: [UInt32]] = [:]
    private static let keyLimit = 10_000

    /// The maximum number of shapes with several properties, however many sets of properties foreign writers use.
    static let shapeLimit = 10_000
    private var shapeCount: Int?
    private let selectCount: BoundStatement

    init(_ db: Database) throws {
        insert = try BoundStatement(db, "INSERT INTO tributary_history(transaction_number, records) VALUES (?1, ?2)")
        insertShape = try BoundStatement(
            db,
            "INSERT INTO tributary_shape(key, entity, kind, properties) VALUES (?1, ?2, ?3, ?4)"
        )
        selectKey = try BoundStatement(
            db,
            "SELECT key FROM tributary_shape WHERE entity = ?1 AND kind = ?2 AND properties = ?3"
        )
        selectCount = try BoundStatement(db, "SELECT count(*) FROM tributary_shape")
        selectLastKey = try BoundStatement(db, "SELECT max(key) FROM tributary_shape")
    }

    func append(_ id: UniqueID, _ key: UInt32, to transaction: AppliedTransaction) throws {
        withUnsafeTemporaryAllocation(byteCount: 20, alignment: 8) { buffer in
            id.write(to: buffer)
            buffer.storeBytes(of: key.bigEndian, toByteOffset: 16, as: UInt32.self)
            transaction.records.append(contentsOf: buffer)
        }
        if transaction.records.count >= HistoryWriter.capacity * 20 { try flush(transaction) }
    }

    func flush(_ transaction: AppliedTransaction) throws {
        guard !transaction.records.isEmpty else { return }
        insert.bind(1, transaction.number)
        insert.bind(2, transaction.records)
        try insert.run()
        transaction.records.removeAll(keepingCapacity: true)
    }

    /// The keys of the records for a change: one, or one for each property when there are too many shapes.
    func keys(_ entity: String, _ kind: HistoryTransaction.Kind, _ properties: [String]) throws -> [UInt32] {
        let shape = Shape(entity: entity, kind: kind, properties: properties.sorted())
        if let known = keys[shape] { return known }
        let found = try key(shape).map { [$0] } ?? split(shape).compactMap(key)
        if keys.count >= HistoryWriter.keyLimit { keys.removeAll() }
        keys[shape] = found
        return found
    }

    /// Splits a shape into shapes of at most one property, which together have the same meaning.
    ///
    /// The model bounds the number of such shapes.
    private func split(_ shape: Shape) -> [Shape] {
        let whole = shape.kind == .update ? [] : [Shape(entity: shape.entity, kind: shape.kind, properties: [])]
        return whole + shape.properties.map { Shape(entity: shape.entity, kind: .update, properties: [$0]) }
    }

    /// The key of a shape, created on its first use; nil when there are too many shapes.
    private func key(_ shape: Shape) throws -> UInt32? {
        let names = JSONValue.array(shape.properties.map { .string($0) }).text
        selectKey.bind(1, shape.entity)
        selectKey.bind(2, shape.kind.rawValue)
        selectKey.bind(3, names)
        if let known = try selectKey.first(HistoryWriter.key) { return known }
        let count = try shapeCount ?? selectCount.first { Int($0.integer(0)) } ?? 0
        guard shape.properties.count < 2 || count < HistoryWriter.shapeLimit else {
            shapeCount = count
            return nil
        }
        shapeCount = count + 1
        return try insert(shape, names)
    }

    private func insert(_ shape: Shape, _ names: String) throws -> UInt32 {
        let key = (try selectLastKey.first(HistoryWriter.key) ?? 0) &+ 1
        insertShape.bind(1, withUnsafeBytes(of: key.bigEndian) { Array($0) })
        insertShape.bind(2, shape.entity)
        insertShape.bind(3, shape.kind.rawValue)
        insertShape.bind(4, names)
        try insertShape.run()
        return key
    }

    private static func key(_ row: BoundStatement) -> UInt32 {
        row.withBytes(0) { $0.count == 4 ? UInt32(bigEndian: $0.loadUnaligned(as: UInt32.self)) : 0 }
    }

    static func names(_ json: String) -> [String] {
        guard case .array(let values)? = JSONValue(text: json) else { return [] }
        return values.compactMap { if case .string(let name) = $0 { name } else { nil } }
    }
}
