package import TributaryChanges

/// The name of a baseline in the log folder: `<writer>/<sequence>.baseline`.
package struct BaselineName: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let writer: UniqueID
    package let sequence: UInt64

    package init(writer: UniqueID, sequence: UInt64) {
        self.writer = writer
        self.sequence = sequence
    }

    package var fileName: String { "\(hexadecimal16(sequence)).baseline" }
    package var path: String { "\(writer)/\(fileName)" }
    package var description: String { path }

    package static func < (left: BaselineName, right: BaselineName) -> Bool {
        (left.writer, left.sequence) < (right.writer, right.sequence)
    }
}
