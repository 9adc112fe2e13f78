package import TributaryStore

/// What was imported and has no effect yet, counted, with the first of it by name.
package struct DeferralReport: Hashable, Sendable {
    package var counts = DeferredCounts()
    package var first: [DeferredValue] = []
    /// Unix seconds of the first and the last import that brought some.
    package var since: Double?
    package var newest: Double?

    package init() {}
}
