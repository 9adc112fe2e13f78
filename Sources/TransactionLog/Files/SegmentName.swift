package import TributaryChanges

/// The name of a segment in the log folder: `<writer>/<first>-<last>.tlog`.
package struct SegmentName: Hashable, Sendable, Comparable, CustomStringConvertible {
    package let writer: UniqueID
    package let first: UInt64
    package let last: UInt64

    package init(writer: UniqueID, first: UInt64, last: UInt64) {
        self.writer = writer
        self.first = first
        self.last = last
    }

    /// Parses a file's name; nil unless it matches the pattern exactly.
    package init?(writer: UniqueID, fileName: some StringProtocol) {
        let bytes = Array(fileName.utf8)
        let suffix = Array(".tlog".utf8)
        guard bytes.count == 33 + suffix.count, bytes[16] == UInt8(ascii: "-"), bytes.suffix(5).elementsEqual(suffix),
            let first = parseHexadecimal16(String(decoding: bytes[..<16], as: UTF8.self)),
            let last = parseHexadecimal16(String(decoding: bytes[17..<33], as: UTF8.self))
        else { return nil }
        self.init(writer: writer, first: first, last: last)
    }

    package init?(path: String) {
        let parts = path.split(separator: "/")
        guard parts.count >= 2, let writer = SegmentName.writer(folderName: parts[parts.count - 2]) else { return nil }
        self.init(writer: writer, fileName: parts[parts.count - 1])
    }

    /// Returns the writer of a folder in the log folder; nil unless the name is a lower-case UUID.
    package static func writer(folderName: some StringProtocol) -> UniqueID? {
        guard let writer = UniqueID(folderName), writer.description.utf8.elementsEqual(folderName.utf8) else {
            return nil
        }
        return writer
    }

    package var fileName: String { "\(hexadecimal16(first))-\(hexadecimal16(last)).tlog" }
    package var path: String { "\(writer)/\(fileName)" }
    package var range: String { "\(hexadecimal16(first))-\(hexadecimal16(last))" }
    package var description: String { path }

    package static func < (left: SegmentName, right: SegmentName) -> Bool {
        (left.writer, left.first, left.last) < (right.writer, right.first, right.last)
    }
}
