/// The state of merging, for the admin interface.
package struct MergeStatus: Sendable, Hashable {
    /// Unix seconds.
    package var lastMerge: Double?
    /// Unix seconds.
    package var nextMergeDue: Double?
    /// Why the last merge did not succeed; nil when it did.
    ///
    /// It is tried again by itself.
    package var failure: String?

    package init(lastMerge: Double? = nil, nextMergeDue: Double? = nil, failure: String? = nil) {
        self.lastMerge = lastMerge
        self.nextMergeDue = nextMergeDue
        self.failure = failure
    }
}
