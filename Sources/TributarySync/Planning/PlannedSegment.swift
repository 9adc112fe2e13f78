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
        /// The system refused to read it; it is tried again at the given wall time.
        case unreadable(reason: String, retry: UInt64)
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
    let found: UInt64
    var announced: Announced?

    init(id: SegmentName, file: FileIdentity, found: UInt64) {
        self.id = id
        self.file = file
        self.found = found
    }

    /// Sets what the file is now; true when that differs, so that what was known of it is void.
    mutating func update(_ file: FileIdentity) -> Bool {
        guard self.file != file else { return false }
        self.file = file
        knowledge = .unknown
        return true
    }

    /// Wall time since when it has been in the state that was announced last, or here.
    var since: UInt64 { announced?.since ?? found }

    var valid: SegmentOutline? {
        guard case .valid(let segment) = knowledge else { return nil }
        return segment
    }

    var isUnknown: Bool {
        guard case .unknown = knowledge else { return false }
        return true
    }

    /// Whether it is to be read before anything is decided.
    func isUnread(wall: UInt64) -> Bool {
        if case .unreadable(_, let retry) = knowledge { return retry <= wall }
        return isUnknown
    }

    /// Changes it will bring; a guess from its size until it has been read.
    var weight: Int {
        valid.map { $0.changes.addingSaturating($0.transactions) }
            ?? Int(clamping: file.size / PlannedSegment.guessedChangeSize) + 1
    }

    /// Bytes of a change with a few values.
    private static let guessedChangeSize: Int64 = 128
}
