import Crypto
import GRDB
import TributaryChanges

extension Reader {
    /// A digest over the canonical merge state, with the vector that it is for.
    ///
    /// Stores that have applied the same transactions have the same digest, in whatever order these came.
    package func digest() throws -> StoreDigest {
        var hash = SHA256()
        try MergeState(reader: self, includesShown: false).forEachLine { line in
            hash.update(data: Array(line.utf8))
            hash.update(data: [UInt8(ascii: "\n")])
        }
        let hexadecimal = hash.finalize().map { byte in
            let text = String(byte, radix: 16)
            return text.count == 1 ? "0" + text : text
        }
        var vector: [UniqueID: StoreDigest.Position] = [:]
        for writer in try writers() where writer.sequence > 0 {
            vector[writer.id] = .init(sequence: writer.sequence, hash: writer.lastSegmentHash)
        }
        return StoreDigest(digest: hexadecimal.joined(), vector: vector)
    }

    /// The visible objects and the merge state behind them as text in canonical order, for comparing whole stores.
    package func dump() throws -> String {
        var text = ""
        try MergeState(reader: self, includesShown: true).forEachLine { line in
            text += line
            text += "\n"
        }
        return text
    }
}
