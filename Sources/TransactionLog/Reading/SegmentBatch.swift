package import TributaryChanges

/// Some of a segment's transactions, in order, or a piece of one that is large.
package struct SegmentBatch: Sendable {
    package enum Event: Hashable, Sendable {
        case begin(TransactionHeader)
        /// Some or all changes of the transaction that has begun.
        case changes([Change])
        /// Changes of the transaction that has begun, as a run of rows; only when the reader is asked for runs.
        case rows(RowRun)
        case end
    }

    package var events: [Event] = []
    package var changeCount = 0
    /// Bytes of the lines that it was read from.
    package var byteCount = 0
    /// Whether a slice ends here.
    ///
    /// Its bytes are those that were verified, so what came since the last end may be committed. Without this nothing
    /// may.
    package var endsSlice = false
    /// The sequence of the last transaction that ended in this batch.
    package var last: UInt64?
}
