package import TributaryChanges

/// The state of merging, for the admin interface.
package struct MergeStatus: Sendable, Hashable {
    package var lastMerge: WallTime?
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
