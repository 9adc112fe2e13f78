package import TributaryChanges

/// Consecutive transactions of a segment, or a piece of a large transaction.
package struct SegmentBatch: Sendable {
    package enum Event: Hashable, Sendable {
        case begin(TransactionHeader)
        /// Some or all changes of the current transaction.
        case changes([Change])
        /// Changes of the current transaction as a run of rows; only when the reader makes runs.
        case rows(RowRun)
        case end
    }

    package var events: [Event] = []
    package var changeCount = 0
    /// The bytes that the events take: those of the rows, and those of the lines of other events, or ``eventBytes``.
    package var byteCount = 0
    /// The bytes that an event or a change takes at least, when it is no row.
    package static let eventBytes = 200
    /// Whether a slice ends with this batch.
    ///
    /// The slice's bytes are the verified ones then, so that all changes up to here may be committed. Without the end
    /// of a slice nothing may be committed.
    package var endsSlice = false

    /// Appends changes of the current transaction.
    mutating func append(_ pieces: inout SegmentPieces) {
        changeCount += pieces.count
        let ended = pieces.events()
        for case .rows(let run) in ended { byteCount += run.byteCount }
        events += ended
    }
}
