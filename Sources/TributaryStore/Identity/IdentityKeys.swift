/// The keys of the store's settings about its identity.
package enum IdentityKeys {
    /// The restoration after which the store has become another writer.
    static let renewed = "identity.renewed"
    /// The writer whose identifier tokens of history carry, once the store has become another writer.
    static let tokens = "identity.tokens"
}
