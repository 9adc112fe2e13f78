/// A stretch of local transactions that is being, or has been, written as a segment.
///
/// It is committed before the file
/// is renamed into place, so that an interrupted export is finished with the same bytes.
package struct ExportRange: Sendable, Hashable {
    package var first: UInt64
    package var last: UInt64
    /// The segment's header line without its newline.
    package var header: String
    /// The end line's hash; nil until the file is in place.
    package var sha256: String?

    package init(first: UInt64, last: UInt64, header: String, sha256: String? = nil) {
        self.first = first
        self.last = last
        self.header = header
        self.sha256 = sha256
    }
}
