/// The keys of the store's settings about its identity.
package enum IdentityKeys {
    /// The label of the store, which its writers name.
    package static let label = "identity.label"
    /// The name that tokens of history carry.
    package static let history = "identity.history"
    package static let machine = "identity.machine"
    package static let store = "identity.store"
    package static let logs = "identity.logs"
}
