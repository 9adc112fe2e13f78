struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason as a clause.
    var reason: String
    var key: String?
    var origin = ConfigurationOrigin.standard

    var description: String { [origin.location, key, reason].compactMap { $0 }.joined(separator: ": ") }
}
