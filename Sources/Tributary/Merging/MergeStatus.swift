/// The state of merging, for the admin interface.
package struct MergeStatus: Sendable, Hashable {
    /// The time of the last merge in Unix seconds.
    package var lastMerge: Double?
    /// The time when the next merge is due in Unix seconds.
    package var nextMergeDue: Double?
    /// Why the last merge did not succeed; nil when it did.
    ///
    /// A failed merge is tried again automatically.
    package var failure: String?

    package init(lastMerge: Double? = nil, nextMergeDue: Double? = nil, failure: String? = nil) {
        self.lastMerge = lastMerge
        self.nextMergeDue = nextMergeDue
        self.failure = failure
    }
}
