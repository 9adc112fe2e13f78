/// The keys of the store's settings about its identity.
package enum IdentityKeys {
    /// The restoration after which the store has become another writer.
    package static let renewed = "identity.renewed"
    /// The writer whose identifier tokens of history carry, once the store has become another writer.
    package static let tokens = "identity.tokens"
    /// The writers that the store was before.
    package static let formers = "identity.formers"
    /// The hash of the ID of the machine that the store was last used on.
    package static let machine = "identity.machine"
    /// The store's file when it was last used.
    package static let store = "identity.store"
    /// The log folder when the store was last used.
    package static let logs = "identity.logs"
    /// The last change of the store's writer that no administrator has requested.
    package static let event = "identity.event"
}
