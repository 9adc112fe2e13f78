package import TransactionLog
package import TributaryChanges

/// The changes of some files of a writer's folder; the other files have not changed.
package struct ListingChange: Sendable {
    package var writer: UniqueID
    /// The names that were examined.
    package var names: Set<SegmentName> = []
    /// The examined names that are regular files with unapplied sequences.
    package var pending: [WriterListing.Pending] = []
    /// The examined names that are files at or below the position.
    package var applied: Set<SegmentName> = []
    /// The change in the number of files at or below the position.
    package var appliedDifference = 0
    /// All misfits of the folder; nil when they have not changed.
    package var misfits: [WriterListing.Misfit]?

    package init(writer: UniqueID) {
        self.writer = writer
    }
}
