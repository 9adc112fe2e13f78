/// What of everything that was imported has no effect yet: counts, times and the newest writes.
package struct DeferredOverview: Sendable, Hashable {
    package var counts = DeferredCounts()
    /// Writes of the newest transactions that have deferred ones, the newest first.
    package var newest: [DeferredWrite] = []
    /// Unix seconds of the first and of the last import that brought some.
    package var since: Double?
    package var until: Double?

    package init() {}
}
