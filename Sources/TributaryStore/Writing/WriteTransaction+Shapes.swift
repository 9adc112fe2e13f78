import TributaryChanges

extension WriteTransaction {
    /// The number of shapes that are kept although history does not need them: as many as a model's programs use.
    private static let keptShapes = 1_000

    /// Removes shapes that no record of history has; called after history was removed.
    func removeUnusedShapes() throws {
        let count = try BoundStatement(db, "SELECT count(*) FROM tributary_shape").first { $0.integer(0) } ?? 0
        // A merge engine caches the keys of shapes.
        guard count > WriteTransaction.keptShapes, engineInUse == nil else { return }
        var used: Set<UInt32> = []
        try BoundStatement(db, "SELECT records FROM tributary_history").forEach { row in
            row.withBytes(0) { records in
                for start in stride(from: 16, to: records.count - 3, by: 20) {
                    used.insert(UInt32(bigEndian: records.loadUnaligned(fromByteOffset: start, as: UInt32.self)))
                }
            }
        }
        var unused: [UInt32] = []
        try BoundStatement(db, "SELECT key FROM tributary_shape").forEach { row in
            let key = row.withBytes(0) { $0.count == 4 ? UInt32(bigEndian: $0.loadUnaligned(as: UInt32.self)) : 0 }
            if !used.contains(key) { unused.append(key) }
        }
        let delete = try BoundStatement(db, "DELETE FROM tributary_shape WHERE key = ?1")
        for key in unused {
            delete.bind(1, withUnsafeBytes(of: key.bigEndian) { Array($0) })
            try delete.run()
        }
    }
}
