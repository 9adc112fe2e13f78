import GRDB
import TributaryChanges

/// Reads the merge state as a digest or as text.
package struct MergeStateReader {
    let reader: Reader

    /// A digest over the canonical merge state, with the vector that it is for.
    ///
    /// Stores that have applied the same transactions have the same digest, in whatever order these came. The rows are
    /// read one after the other; `progress` is told from time to time how many objects have been read.
    package func digest(progress: (Int64) -> Void = { _ in }) throws -> StoreDigest {
        var hash = SHA256()
        var objects: Int64 = 0
        try MergeState(reader: reader, includesShown: false).forEachLine { line in
            var line = line
            line += "\n"
            line.withUTF8 { hash.update(bufferPointer: UnsafeRawBufferPointer($0)) }
            // What belongs to an object is indented.
            guard line.utf8.first != UInt8(ascii: " ") else { return }
            objects += 1
            if objects & 0x3FF == 0 { progress(objects) }
        }
        var vector: [UniqueID: StoreDigest.Position] = [:]
        for writer in try reader.writers.all() where writer.sequence > 0 {
            vector[writer.id] = .init(sequence: writer.sequence, hash: writer.lastSegmentHash)
        }
        return StoreDigest(digest: hash.finalize().hexadecimal, vector: vector)
    }

    /// The visible objects and the merge state behind them as text in canonical order, for comparing whole stores.
    package func dump() throws -> String {
        var text = ""
        try MergeState(reader: reader, includesShown: true).forEachLine { line in
            text += line
            text += "\n"
        }
        return text
    }
}
