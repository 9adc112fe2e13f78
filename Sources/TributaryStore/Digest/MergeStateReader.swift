import GRDB
import TributaryChanges

/// Reads the merge state as a digest or as text.
package struct MergeStateReader {
    let reader: Reader

    /// A digest over the canonical merge state, with its version vector.
    ///
    /// Stores that have applied the same transactions in any order have equal digests. The reader reads the rows one
    /// after the other and reports the number of objects that it has read to `progress` from time to time.
    package func digest(progress: (Int64) -> Void = { _ in }) throws -> StoreDigest {
        var hash = SHA256()
        var objects: Int64 = 0
        try MergeStateText(reader: reader, includesShown: false).forEachLine { line in
            var line = line
            line += "\n"
            line.withUTF8 { hash.update(bufferPointer: UnsafeRawBufferPointer($0)) }
            // Lines that belong to an object are indented.
            guard line.utf8.first != UInt8(ascii: " ") else { return }
            objects += 1
            if objects & 0x3FF == 0 { progress(objects) }
        }
        var vector: [UniqueID: StoreDigest.Position] = [:]
        for writer in try reader.writers.all() where writer.sequence > 0 {
            vector[writer.id] = StoreDigest.Position(sequence: writer.sequence, hash: writer.lastSegmentHash)
        }
        return StoreDigest(digest: hash.finalize().hexadecimal, vector: vector)
    }

    /// The visible objects and their merge state as text in canonical order, for the comparison of whole stores.
    package func dump() throws -> String {
        var text = ""
        try MergeStateText(reader: reader, includesShown: true).forEachLine { line in
            text += line
            text += "\n"
        }
        return text
    }
}
