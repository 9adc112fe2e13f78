import GRDB
import TributaryChanges
import TributaryModel

/// Packs what a transaction changed into rows of `tributary_history`: 20 bytes a change, the object's UUID and the key
/// of a *shape*, which is the entity, the kind and the properties that changes have in common.
final class HistoryWriter {
    /// Records in a row: 200 of 20 bytes fill one page of 4 KiB.
    static let capacity = 200

    struct Shape: Hashable {
        var entity: String
        var kind: HistoryTransaction.Kind
        /// Sorted.
        var properties: [String]
    }

    private let insert: BoundStatement
    private let insertShape: BoundStatement
    private let selectShapes: BoundStatement
    private var keys: [Shape: UInt32]?
    init(_ db: Database) throws {
        insert = try BoundStatement(db, "INSERT INTO tributary_history(transaction_number, records) VALUES (?1, ?2)")
        insertShape = try BoundStatement(
            db,
            "INSERT INTO tributary_shape(key, entity, kind, properties) VALUES (?1, ?2, ?3, ?4)"
        )
        selectShapes = try BoundStatement(db, "SELECT key, entity, kind, properties FROM tributary_shape")
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

    /// The key of a shape, given out when it is met for the first time.
    func key(_ entity: String, _ kind: HistoryTransaction.Kind, _ properties: [String]) throws -> UInt32 {
        let shape = Shape(entity: entity, kind: kind, properties: properties.sorted())
        var known = try keys ?? readShapes()
        defer { keys = known }
        if let key = known[shape] { return key }
        let key = (known.values.max() ?? 0) + 1
        known[shape] = key
        insertShape.bind(1, withUnsafeBytes(of: key.bigEndian) { Array($0) })
        insertShape.bind(2, entity)
        insertShape.bind(3, kind.rawValue)
        insertShape.bind(4, JSONValue.array(shape.properties.map { .string($0) }).text)
        try insertShape.run()
        return key
    }

    private func readShapes() throws -> [Shape: UInt32] {
        var found: [Shape: UInt32] = [:]
        try selectShapes.forEach { row in
            let key = row.withBytes(0) { $0.count == 4 ? UInt32(bigEndian: $0.loadUnaligned(as: UInt32.self)) : 0 }
            guard let kind = HistoryTransaction.Kind(rawValue: row.text(2)) else { return }
            found[Shape(entity: row.text(1), kind: kind, properties: HistoryWriter.names(row.text(3)))] = key
        }
        return found
    }

    /// The names in a JSON array of strings.
    static func names(_ json: String) -> [String] {
        guard case .array(let values)? = JSONValue(text: json) else { return [] }
        return values.compactMap { if case .string(let name) = $0 { name } else { nil } }
    }
}
