import TransactionLog

/// The result of reading a whole segment.
package enum VerificationOutcome: Hashable, Sendable {
    case valid(SegmentOutline)
    /// The segment has no valid end line; its file may still be growing.
    case incomplete(reason: String, line: Int?)
    /// The bytes differ from those that the writer wrote.
    case damaged(reason: String, line: Int?)
    /// The content breaks the format.
    case rejected(reason: String, line: Int?)
    /// What is applied of the same transactions is other content.
    case forked(reason: String)
    /// The file is not a regular file, or may not be read.
    case unreadable(reason: String)
    /// The file was removed or replaced.
    case changed
}

extension VerificationOutcome {
    /// Creates the outcome of a segment that could not be read or is not valid.
    init(_ error: SegmentError) {
        let text = error.reason.prefix(1).uppercased() + error.reason.dropFirst()
        let reason = text.isEmpty || text.hasSuffix(".") ? text : text + "."
        switch error.kind {
        case .incomplete: self = .incomplete(reason: reason, line: error.line)
        case .damaged: self = .damaged(reason: reason, line: error.line)
        case .rejected, .forked: self = .rejected(reason: reason, line: error.line)
        case .changed, .missing: self = .changed
        case .inputOutput: self = .unreadable(reason: reason)
        }
    }
}
