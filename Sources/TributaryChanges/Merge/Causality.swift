/// The relation of an arriving write to a write that a store applied before it.
///
/// Merge statement 20. A transaction is applied after everything that it has seen (statement 18), so the write that was
/// applied first cannot have seen the arriving one: only the other direction is to be decided.
package enum Causality: Hashable, Sendable {
    /// The writer of the arriving write had seen the applied one.
    case follows
    /// Neither writer had seen the other's write.
    case concurrent
    /// The writer of the arriving write does not tell what it has seen.
    case unknown

    /// Decides the relation.
    ///
    /// A replica that changes an object of another writer has acknowledged that writer. A writer that has never
    /// acknowledged any is therefore a producer of the log that is no replica, of which nothing is known, or it changes
    /// an object that it has inserted itself: then it has seen nothing yet.
    ///
    /// - Parameters:
    ///   - arriving: The transaction of the arriving write.
    ///   - applied: The transaction of the write that was applied before it.
    ///   - hasSeen: Whether the arriving write's writer had acknowledged the transaction of the other one, this
    ///     transaction included; nil when it had never acknowledged any writer's.
    ///   - isOwnObject: Whether the writer of the arriving write has inserted the object.
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

    /// Whether the value that does not stand belongs in the conflict journal.
    ///
    /// Of a writer that never acknowledges it is not known what it has seen: what it writes over an older value may be
    /// an answer to that value, while a value of its own that arrives too late is lost without anybody having seen it.
    package func isConflict(isArrivingLost: Bool) -> Bool {
        switch self {
        case .follows: false
        case .concurrent: true
        case .unknown: isArrivingLost
        }
    }
}

/// The transaction that a write belongs to: its writer, and its sequence among the writer's transactions.
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
