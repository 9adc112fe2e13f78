/// A summary of the imported writes that have no effect yet: counts, times and the newest writes.
package struct DeferredOverview: Sendable, Hashable {
    package var counts = DeferredCounts()
    /// The deferred writes of the newest transactions, newest first.
    package var newest: [DeferredWrite] = []
    /// The Unix seconds of the first and of the last import with deferred writes.
    package var since: Double?
    package var until: Double?

    package init() {}
}
