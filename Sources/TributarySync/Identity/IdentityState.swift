/// The knowledge of a running service about the store's identity.
struct IdentityState: Sendable {
    /// Whether the store's identity was checked since the start; nothing is exported before.
    var isChecked = false
    /// The last change of the store's writer that nobody has requested.
    var event: IdentityEvent?
    /// The proof that another program writes as the store's writer, until the store is another one.
    var fork: OwnFork?
}
