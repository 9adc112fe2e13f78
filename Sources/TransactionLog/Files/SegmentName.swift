package import TributaryChanges

/// `<writer>/<first>-<last>.tlog`.
package struct SegmentName: Hashable, Sendable, Comparable, CustomStringConvertible {
    package let writer: UniqueID
    package let first: UInt64
    package let last: UInt64

    package init(writer: UniqueID, first: UInt64, last: UInt64) {
        self.writer = writer
        self.first = first
        self.last = last
    }

    package init(writer: UniqueID, _ bounds: SegmentBounds) {
        self.init(writer: writer, first: bounds.first, last: bounds.last)
    }

    package init?(writer: UniqueID, fileName: some StringProtocol) {
        var name = String(fileName)
        guard let bounds = name.withUTF8({ SegmentBounds(fileName: UnsafeRawBufferPointer($0)) }) else { return nil }
        self.init(writer: writer, bounds)
    }

    package init?(path: String) {
        let parts = path.split(separator: "/")
        guard parts.count >= 2, let writer = SegmentName.writer(folderName: parts[parts.count - 2]) else { return nil }
        self.init(writer: writer, fileName: parts[parts.count - 1])
    }

    /// Nil unless the name is a lower-case UUID.
    package static func writer(folderName: some StringProtocol) -> UniqueID? {
        guard let writer = UniqueID(folderName), writer.description.utf8.elementsEqual(folderName.utf8) else {
            return nil
        }
        return writer
    }

    package var bounds: SegmentBounds { SegmentBounds(first: first, last: last) }

    package var isPossible: Bool { first >= 1 && first <= last }

    package var fileName: String { "\(hexadecimal16(first))-\(hexadecimal16(last)).tlog" }
    package var path: String { "\(writer)/\(fileName)" }
    package var range: String { "\(hexadecimal16(first))-\(hexadecimal16(last))" }
    package var description: String { path }

    package static func < (left: SegmentName, right: SegmentName) -> Bool {
        (left.writer, left.first, left.last) < (right.writer, right.first, right.last)
    }
}

package struct SegmentBounds: Hashable, Sendable, Comparable {
    package var first: UInt64
    package var last: UInt64

    package init(first: UInt64, last: UInt64) {
        self.first = first
        self.last = last
    }

    /// Creates no string: a folder has many applied segments, and a string for each name would be expensive.
    package init?(fileName bytes: UnsafeRawBufferPointer) {
        guard bytes.count == 38, bytes[16] == UInt8(ascii: "-"), bytes[33...].elementsEqual(".tlog".utf8) else {
            return nil
        }
        (first, last) = (0, 0)
        for index in 0..<16 {
            guard let left = SegmentBounds.digit(bytes[index]), let right = SegmentBounds.digit(bytes[index + 17])
            else { return nil }
            first = first << 4 | UInt64(left)
            last = last << 4 | UInt64(right)
        }
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    package func holds(_ sequence: UInt64) -> Bool { first <= sequence && sequence <= last }

    package static func < (left: SegmentBounds, right: SegmentBounds) -> Bool {
        (left.first, left.last) < (right.first, right.last)
    }
}
