package import TributaryChanges

/// The state of merging, for the admin interface.
package struct MergeStatus: Sendable, Hashable {
    /// The time of the last merge.
    package var lastMerge: WallTime?
    /// The time when the next merge is due.
    package var nextMergeDue: WallTime?
    /// Why the last merge did not succeed; nil when it did.
    ///
    /// A failed merge is tried again automatically.
    package var failure: String?

    package init(lastMerge: WallTime? = nil, nextMergeDue: WallTime? = nil, failure: String? = nil) {
        self.lastMerge = lastMerge
        self.nextMergeDue = nextMergeDue
        self.failure = failure
    }
}
