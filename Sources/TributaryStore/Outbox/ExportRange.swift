package import TributaryChanges

/// A range of local transactions that is being exported as one segment.
///
/// The range is committed before the file is renamed to its final name, so that an interrupted export is completed with
/// identical bytes.
package struct ExportRange: Sendable, Hashable {
    package var writer: UniqueID
    package var first: UInt64
    package var last: UInt64
    /// The segment's header line without its newline.
    package var header: String

    package init(writer: UniqueID, first: UInt64, last: UInt64, header: String) {
        self.writer = writer
        self.first = first
        self.last = last
        self.header = header
    }
}
