package import TransactionLog
package import TributaryChanges

/// The files of one writer's folder, known by their names and attributes.
package struct WriterListing: Sendable {
    /// A regular file with a segment's name and sequences that are not all applied.
    package struct Pending: Hashable, Sendable {
        package var id: SegmentName
        package var file: FileIdentity

        package init(id: SegmentName, file: FileIdentity) {
            self.id = id
            self.file = file
        }
    }

    /// An entry that is reported as a fault of the writer without being opened, or a conflict copy.
    package struct Misfit: Hashable, Sendable {
        package var id: SegmentName
        package var fileName: String
        package var state: SegmentState
        package var reason: String
        package var hint: String
        /// The file of a conflict copy, which is read; nil for other entries.
        package var file: FileIdentity?
    }

    package var writer: UniqueID
    package var pending: [Pending] = []
    package var misfits: [Misfit] = []
    /// The files at or below the position.
    package var applied: [SegmentBounds] = []

    package init(writer: UniqueID) {
        self.writer = writer
    }
}
