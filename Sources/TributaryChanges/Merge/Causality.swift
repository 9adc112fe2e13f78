/// Merge statement 20; no applied write can have seen the arriving write, because of statement 18.
package enum Causality: Hashable, Sendable {
    case follows
    case concurrent
    case unknown

    /// A replica that changes an object of another writer has acknowledged that writer.
    ///
    /// A writer that never acknowledges may be a producer and not a replica, so its knowledge is unknown, except of an
    /// object that it inserted itself. `hasSeen` is whether the arriving writer had acknowledged the applied
    /// transaction, and nil for a writer that had never acknowledged any writer.
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
    /// If the writer's knowledge is unknown, it may have seen a value that it overwrites, but nobody has seen its own
    /// lost value.
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
