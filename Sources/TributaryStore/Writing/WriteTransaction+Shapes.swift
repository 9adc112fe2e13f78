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
        try BoundStatement(db, "SELECT shape, common, objects FROM tributary_history").forEach { row in
            let hasOneShape = !row.isNull(0)
            _ = HistoryWriter.forEachChange(in: row, from: 0) { _, key in
                used.insert(key)
                return !hasOneShape
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
