/// The relation of an arriving write to a write that a store applied before it.
///
/// Merge statement 20. A transaction is applied after everything that it has seen (statement 18), so the write that was
/// applied first cannot have seen the arriving one; only the other direction is open.
package enum Causality: Hashable, Sendable {
    /// The writer of the arriving write had seen the applied write.
    case follows
    /// Neither writer had seen the other's write.
    case concurrent
    /// It is unknown what the writer of the arriving write had seen.
    case unknown

    /// A replica that changes an object of another writer has acknowledged that writer.
    ///
    /// A writer that has never acknowledged another writer may be a producer that is not a replica; its knowledge of
    /// others is then unknown. Otherwise it changes an object that it has inserted itself, and has seen nothing yet.
    ///
    /// `hasSeen`: whether the writer of the arriving write had acknowledged the applied transaction, in this
    /// transaction at the latest; nil when it had never acknowledged any writer.
    package init<Writer>(
        of arriving: WriteOrigin<Writer>,
        after applied: WriteOrigin<Writer>,
        hasSeen: Bool?,
        isOwnObject: Bool
    ) {
        if arriving.writer == applied.writer {
            self = .follows
        } else if let hasSeen {
            self = hasSeen ? .follows : .concurrent
        } else {
            self = isOwnObject ? .concurrent : .unknown
        }
    }

    /// Whether the losing value belongs in the conflict journal.
    ///
    /// It is not known what a writer that never acknowledges has seen. Where it overwrites an older value, it may have
    /// seen that value; but where its own value arrives too late, the value is lost without anybody having seen it.
    package func isConflict(isArrivingLost: Bool) -> Bool {
        switch self {
        case .follows: false
        case .concurrent: true
        case .unknown: isArrivingLost
        }
    }
}

@usableFromInline
package struct WriteOrigin<Writer: Hashable>: Hashable {
    @usableFromInline package var writer: Writer
    @usableFromInline package var sequence: UInt64

    @inlinable
    package init(writer: Writer, sequence: UInt64) {
        self.writer = writer
        self.sequence = sequence
    }
}

extension WriteOrigin: Sendable where Writer: Sendable {}
