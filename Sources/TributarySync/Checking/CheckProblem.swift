package import TributaryChanges

/// Something that a check has found wrong.
package struct CheckProblem: Sendable, Hashable {
    /// The kinds of problems; programs can rely on the names.
    package enum Code: String, Sendable, CaseIterable {
        case storeDamaged = "store-damaged"
        /// A view or an index of the store is missing.
        case structureMissing = "structure-missing"
        /// The store has applied sequences of a writer with a hole in them.
        case positionHole = "position-hole"
        /// The file of a segment that was applied is not in the log folder.
        case segmentMissing = "segment-missing"
        /// The file of a segment that was applied has another hash than then.
        case segmentChanged = "segment-changed"
        /// The bytes of a segment are not those that its writer wrote.
        case segmentDamaged = "segment-damaged"
        /// A segment of this store's own is not in the log folder.
        case exportMissing = "export-missing"
        /// A large value beside the store is missing or damaged.
        case valueMissing = "value-missing"
        /// A large value beside the log, which a segment names, is missing or damaged.
        case blobMissing = "blob-missing"
        /// A store that was built from the segments has another digest.
        case digestDiffers = "digest-differs"
        case logsUnreadable = "logs-unreadable"
    }

    package var code: Code
    /// The problem, as a sentence.
    package var detail: String
    package var file: String?
    package var writer: UniqueID?
    /// The remedy, as a sentence.
    package var hint: String?
}
