package import TributaryChanges
package import TributaryStore

/// A count of the deferred imported writes, with the newest of them by name.
package struct DeferralReport: Hashable, Sendable {
    package var counts = DeferredCounts()
    /// The newest of the writes, at most ``DeferralReader/named``, the newest first.
    package var newest: [DeferredValue] = []
    /// The time of the first import with deferred writes.
    package var since: WallTime?
    /// The time of the last import with deferred writes.
    package var until: WallTime?

    package init() {}
}
