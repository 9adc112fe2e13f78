/// The changes that a sync has made, and the remaining segments.
package struct SyncResult: Sendable, Hashable {
    /// The objects with changes that programs see since; incomplete when there were too many to count.
    package struct Merged: Sendable, Hashable {
        package var inserted = 0
        package var updated = 0
        package var deleted = 0
        /// Whether the changes were too many to be counted one by one.
        package var isEverything = false
    }

    package var imported: ImportCounts
    package var merged: Merged
    package var exported: ImportCounts
    /// The segments that are not applied, by state.
    package var remaining: [SegmentState: Int]
    /// The writer that tokens of history name.
    package var tokenWriter: String
    /// The number of the newest transaction that programs see now.
    package var transaction: Int64
}
