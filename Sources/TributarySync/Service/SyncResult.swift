/// The changes that a sync has made, and the remaining segments.
package struct SyncResult: Sendable, Hashable {
    /// The objects with changes that programs see since.
    package struct Merged: Sendable, Hashable {
        package var inserted = 0
        package var updated = 0
        package var deleted = 0
        /// Whether there were too many to tell which ones several transactions have changed: these count for each.
        package var isEverything = false
    }

    package var imported: ImportCounts
    package var merged: Merged
    package var exported: ImportCounts
    /// The segments that are not applied, by state.
    package var remaining: [SegmentState: Int]
    package var historyName: String
    package var transaction: Int64
}
