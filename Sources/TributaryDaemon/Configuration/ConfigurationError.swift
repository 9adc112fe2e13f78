/// An error in the configuration.
struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason as a clause.
    var reason: String
    /// The key of the value.
    var key: String?
    var origin = ConfigurationOrigin.standard

    var description: String { [origin.location, key, reason].compactMap { $0 }.joined(separator: ": ") }
}
