import TransactionLog
import TributaryChanges

/// A segment that is not applied yet, with what is known of it.
struct PlannedSegment: Sendable {
    enum Knowledge: Sendable {
        /// To be read.
        case unknown
        case valid(SegmentOutline)
        /// No valid end line at the given wall time.
        case incomplete(reason: String, line: Int?, since: UInt64)
        case bad(SegmentState, reason: String, line: Int?)
    }

    /// The state that was announced last, and when it was reached.
    struct Announced: Sendable {
        var state: SegmentState
        var since: UInt64
    }

    let id: SegmentName
    var file: FileIdentity
    var knowledge = Knowledge.unknown
    /// Wall time at which it was found.
    var found: UInt64
    var announced: Announced?

    var valid: SegmentOutline? {
        guard case .valid(let segment) = knowledge else { return nil }
        return segment
    }

    var isUnknown: Bool {
        guard case .unknown = knowledge else { return false }
        return true
    }

    /// Changes it will bring; a guess from its size until it has been read.
    var weight: Int {
        valid.map { $0.changes.addingSaturating($0.transactions) }
            ?? Int(clamping: file.size / PlannedSegment.guessedChangeSize) + 1
    }

    /// Bytes of a change with a few values.
    private static let guessedChangeSize: Int64 = 128
}
