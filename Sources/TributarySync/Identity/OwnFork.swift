/// The proof that another program writes as the store's own writer.
struct OwnFork: Hashable, Sendable {
    var file: String
    /// How the store's records contradict the file.
    var reason: String
}
