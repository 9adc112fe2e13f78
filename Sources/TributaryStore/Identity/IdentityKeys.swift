/// The keys of the store's settings about its identity.
package enum IdentityKeys {
    package static let renewed = "identity.renewed"
    /// The writer whose identifier tokens of history carry, once the store has become another writer.
    package static let tokens = "identity.tokens"
    package static let formers = "identity.formers"
    package static let machine = "identity.machine"
    package static let store = "identity.store"
    package static let logs = "identity.logs"
    /// The last change of the store's writer that no administrator has requested.
    package static let event = "identity.event"
}
