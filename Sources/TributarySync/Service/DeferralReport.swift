package import TributaryStore

/// A count of the deferred imported writes, with the first of them by name.
package struct DeferralReport: Hashable, Sendable {
    package var counts = DeferredCounts()
    package var first: [DeferredValue] = []
    /// The Unix seconds of the first and the last import with deferred writes.
    package var since: Double?
    package var newest: Double?

    package init() {}
}
