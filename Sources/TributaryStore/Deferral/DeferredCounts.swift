/// The number of imported writes that have no effect yet.
package struct DeferredCounts: Sendable, Hashable {
    package static let limit = 100_000

    package var values = 0
    /// The number of objects that were updated and never inserted.
    package var objects = 0

    package var isEmpty: Bool { values == 0 && objects == 0 }

    package init() {}
}
