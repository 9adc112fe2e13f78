package import TributaryChanges

/// A summary of the imported writes that have no effect yet: counts, times and the newest writes.
package struct DeferredOverview: Sendable, Hashable {
    package var counts = DeferredCounts()
    /// The deferred writes of the newest transactions, newest first.
    package var newest: [DeferredWrite] = []
    /// The times of the first and of the last import with deferred writes.
    package var since: WallTime?
    package var until: WallTime?

    package init() {}
}
