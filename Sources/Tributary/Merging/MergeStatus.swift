package import TributaryChanges

package struct MergeStatus: Sendable, Hashable {
    package var lastMerge: WallTime?
    package var nextMergeDue: WallTime?
    /// Why the last merge did not succeed; it is tried again automatically.
    package var failure: String?

    package init(lastMerge: WallTime? = nil, nextMergeDue: WallTime? = nil, failure: String? = nil) {
        self.lastMerge = lastMerge
        self.nextMergeDue = nextMergeDue
        self.failure = failure
    }
}
