package import TransactionLog
package import TributaryChanges

/// The changes of some files of a writer's folder; the other files have not changed.
package struct ListingChange: Sendable {
    package var writer: UniqueID
    /// The names that were looked at.
    package var names: Set<SegmentName> = []
    /// The names that are regular files and not all applied.
    package var pending: [WriterListing.Pending] = []
    /// The names that are files at or below the position.
    package var applied: Set<SegmentName> = []
    /// How many more files at or below the position there are than before.
    package var appliedDifference = 0
    /// All misfits of the folder; nil when they are as they were.
    package var misfits: [WriterListing.Misfit]?

    package init(writer: UniqueID) {
        self.writer = writer
    }
}
