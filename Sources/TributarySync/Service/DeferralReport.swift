package import TributaryStore

/// A count of the deferred imported writes, with the newest of them by name.
package struct DeferralReport: Hashable, Sendable {
    package var counts = DeferredCounts()
    /// The newest of the writes, at most ``DeferralReader/named``, the newest first.
    package var newest: [DeferredValue] = []
    /// The Unix seconds of the first import with deferred writes.
    package var since: Double?
    /// The Unix seconds of the last import with deferred writes.
    package var until: Double?

    package init() {}
}
