/// How much of what was imported has no effect yet.
package struct DeferredCounts: Sendable, Hashable {
    /// Counts end here.
    package static let limit = 100_000

    /// Values that the model cannot represent.
    package var values = 0
    /// Objects that were updated and that nobody has inserted.
    package var objects = 0

    package var isEmpty: Bool { values == 0 && objects == 0 }

    package init() {}
}
