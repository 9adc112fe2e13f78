/// The result of reading a segment as a whole.
package enum VerificationOutcome: Hashable, Sendable {
    case valid(SegmentOutline)
    /// No valid end line; the file may still be growing.
    case incomplete(reason: String, line: Int?)
    /// The bytes are not what the writer wrote.
    case damaged(reason: String, line: Int?)
    /// The content breaks the format.
    case rejected(reason: String, line: Int?)
    /// It is no regular file, or it may not be read.
    case unreadable(reason: String)
    /// The file is not there any more, or another one has taken its place.
    case changed
}
