import TributaryStore

/// Why the state of a store proves nothing about the baseline of another one.
struct StateDoubt: Hashable, Sendable {
    /// The writers that the store was before, or that the store was of which it is a copy: a copy has taken its state over
    /// from its original, so that its agreement with that one would prove nothing.
    var formers = FormerWriters()
    /// Whether the log folder has contradicted the store's own state.
    var isContradicted = false

    var isAny: Bool { isContradicted || !formers.all.isEmpty }
}
