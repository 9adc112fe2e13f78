package import TributaryChanges

extension Reader {
    /// The visible objects with the given IDs, in no particular order; one query reads all objects of a root entity.
    package func rows(_ ids: [ManagedObjectID]) throws -> [Row] {
        var result: [Row] = []
        for (root, ids) in Dictionary(grouping: ids, by: \.rootEntity) {
            guard let reading = reading(rootEntity: root) else { continue }
            let sql = """
                WITH RECURSIVE place(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM place WHERE n + 1 < ?2)
                SELECT \(reading.columns(alias: "o")) FROM place p
                CROSS JOIN \(reading.table.quotedName) o ON o._id = substr(?1, p.n * 16 + 1, 16)
                """
            let statement = try BoundStatement(database, sql)
            statement.bind(1, ids.map(\.uniqueID).packed)
            statement.bind(2, Int64(ids.count))
            try statement.forEach { row in
                if let found = reading.row(row) { result.append(found) }
            }
        }
        return result
    }
}

extension [UniqueID] {
    /// The IDs as consecutive blocks of 16 bytes.
    var packed: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count * 16)
        bytes.withUnsafeMutableBytes { buffer in
            for (index, id) in enumerated() {
                id.write(to: UnsafeMutableRawBufferPointer(rebasing: buffer[index * 16..<index * 16 + 16]))
            }
        }
        return bytes
    }
}
