package import TributaryStore

/// A count of the imported writes that are deferred, with the first of them by name.
package struct DeferralReport: Hashable, Sendable {
    package var counts = DeferredCounts()
    package var first: [DeferredValue] = []
    /// Unix seconds of the first and the last import that brought some.
    package var since: Double?
    package var newest: Double?

    package init() {}
}
