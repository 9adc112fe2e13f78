package import TributaryChanges

/// The name of a baseline in the log folder: `<writer>/<sequence>.baseline`.
package struct BaselineName: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The writer that published the baseline.
    package let writer: UniqueID
    /// The sequence of that writer in the baseline's vector.
    package let sequence: UInt64

    /// Creates the name of a baseline.
    ///
    /// - Parameters:
    ///   - writer: The writer that publishes the baseline.
    ///   - sequence: The sequence of that writer in the baseline's vector.
    package init(writer: UniqueID, sequence: UInt64) {
        self.writer = writer
        self.sequence = sequence
    }

    /// The file's name in the writer's folder.
    package var fileName: String { "\(hexadecimal16(sequence)).baseline" }
    /// The path below the log folder.
    package var path: String { "\(writer)/\(fileName)" }
    package var description: String { path }

    package static func < (left: BaselineName, right: BaselineName) -> Bool {
        (left.writer, left.sequence) < (right.writer, right.sequence)
    }
}
