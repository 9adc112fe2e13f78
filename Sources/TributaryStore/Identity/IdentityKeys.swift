/// The keys of the store's settings about its identity.
package enum IdentityKeys {
    /// The writer whose identifier tokens of history carry, once the store has become another writer.
    static let tokens = "identity.tokens"
}
