package import TransactionLog
import TributaryChanges

/// A file with the content of a segment, under the segment's name or under that of a replicator's conflict copy.
package struct SegmentFile: Hashable, Sendable, Comparable {
    package var id: SegmentName
    package var fileName: String

    package init(id: SegmentName, fileName: String? = nil) {
        self.id = id
        self.fileName = fileName ?? id.fileName
    }

    package var path: String { "\(id.writer)/\(fileName)" }

    var hasOwnName: Bool { fileName == id.fileName }

    package static func < (left: SegmentFile, right: SegmentFile) -> Bool {
        left.id == right.id ? left.fileName.precedesByBytes(right.fileName) : left.id < right.id
    }
}

extension SegmentName {
    /// Whether the sequences are possible: they begin with 1 and do not run backwards.
    var isPossible: Bool { first >= 1 && first <= last }

    var bounds: SegmentBounds { SegmentBounds(first: first, last: last) }

    /// Creates no string: a folder has many applied segments, and a string for each name would be expensive.
    static func bounds(fileName bytes: UnsafeRawBufferPointer) -> SegmentBounds? {
        guard bytes.count == 38, bytes[16] == UInt8(ascii: "-"), bytes[33...].elementsEqual(".tlog".utf8) else {
            return nil
        }
        var first: UInt64 = 0
        var last: UInt64 = 0
        for index in 0..<16 {
            guard let left = digit(bytes[index]), let right = digit(bytes[index + 17]) else { return nil }
            first = first << 4 | UInt64(left)
            last = last << 4 | UInt64(right)
        }
        return SegmentBounds(first: first, last: last)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
