import TributaryChanges

/// The position of a writer: the last of its transactions in the store.
package struct WriterPosition: Hashable, Sendable {
    /// A segment with applied and waiting transactions.
    package struct Partial: Hashable, Sendable {
        package var bounds: SegmentBounds
        package var sha256: String
    }

    /// The last sequence that was applied without a gap.
    package var sequence: UInt64 = 0
    package var partial: Partial?

    /// Whether a segment needs no comparison with what is applied: nothing of it is, or this very segment in part, or
    /// it was compared up to here when it was read.
    func isCompared(_ bounds: SegmentBounds, _ segment: SegmentOutline) -> Bool {
        bounds.first > sequence || segment.comparedThrough >= sequence
            || partial == Partial(bounds: bounds, sha256: segment.sha256)
    }
}

/// The position of each writer, assuming that all planned segments are applied.
struct SupposedPositions {
    let known: [UniqueID: WriterPosition]
    private(set) var supposed: [UniqueID: WriterPosition] = [:]

    subscript(writer: UniqueID) -> WriterPosition {
        get { supposed[writer] ?? known[writer] ?? WriterPosition() }
        set { supposed[writer] = newValue }
    }
}
