import GRDB
import TributaryChanges

/// The position of a forked writer in a vector: a function of the set of its applied segments, whichever came first.
///
/// The heads are the applied segments that no other applied segment follows, and the segments of which a part is applied.
struct BranchHeads {
    let reader: Reader

    /// The position of a writer.
    func position(of writer: WriterRecord) throws -> StoreDigest.Position {
        guard !writer.branches.isEmpty else {
            return StoreDigest.Position(sequence: writer.sequence, hash: writer.lastSegmentHash)
        }
        var heads: Set<String> = []
        let main = try select(rowOf: writer.id)
        if try isHead(row: main, writer.sequence, writer.lastSegmentHash, of: writer.id) {
            heads.insert("\(writer.sequence) \(writer.lastSegmentHash ?? "")")
        }
        for branch in writer.branches
        where try isHead(row: branch.row, branch.sequence, branch.lastHash, of: writer.id) {
            heads.insert("\(branch.sequence) \(branch.lastHash ?? branch.firstHash)")
        }
        var hash = SHA256()
        var text = heads.sorted { $0.precedesByBytes($1) }.joined(separator: "\n")
        text.withUTF8 { hash.update(bufferPointer: UnsafeRawBufferPointer($0)) }
        return StoreDigest.Position(sequence: writer.reach, hash: hash.finalize().hexadecimal)
    }

    private func select(rowOf writer: UniqueID) throws -> Int64 {
        let statement = try BoundStatement(
            reader.database,
            "SELECT id FROM tributary_writer WHERE uuid = ?1 AND branch = ''"
        )
        statement.bind(1, writer.description)
        return try statement.first { $0.integer(0) } ?? 0
    }

    /// Whether no applied segment follows the last one of a line; a partly applied segment is a head of its own.
    private func isHead(row: Int64, _ sequence: UInt64, _ hash: String?, of writer: UniqueID) throws -> Bool {
        guard let hash else { return sequence > 0 }
        let last = try BoundStatement(
            reader.database,
            "SELECT last FROM tributary_segment WHERE writer = ?1 ORDER BY first DESC LIMIT 1"
        )
        last.bind(1, row)
        if let last = try last.first({ UInt64(bitPattern: $0.integer(0)) }), last < sequence { return true }
        let followers = try BoundStatement(
            reader.database,
            """
            SELECT 1 FROM tributary_writer w JOIN tributary_segment s ON s.writer = w.id
            WHERE w.uuid = ?1 AND s.first = ?2 AND (s.previous = ?3 OR s.previous = '') LIMIT 1
            """
        )
        followers.bind(1, writer.description)
        followers.bind(2, Int64(bitPattern: sequence.addingSaturating(1)))
        followers.bind(3, hash)
        return try followers.first { _ in false } ?? true
    }
}
