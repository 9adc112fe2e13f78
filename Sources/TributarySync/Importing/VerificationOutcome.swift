/// The result of reading a whole segment.
package enum VerificationOutcome: Hashable, Sendable {
    case valid(SegmentOutline)
    /// The segment has no valid end line; its file may still be growing.
    case incomplete(reason: String, line: Int?)
    /// The bytes differ from those that the writer wrote.
    case damaged(reason: String, line: Int?)
    /// The content breaks the format.
    case rejected(reason: String, line: Int?)
    /// The file is not a regular file, or may not be read.
    case unreadable(reason: String)
    /// The file was removed or replaced.
    case changed
}
