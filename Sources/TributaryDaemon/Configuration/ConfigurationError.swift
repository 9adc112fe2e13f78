struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason as a clause.
    var reason: String
    var key: String?
    var origin = ConfigurationOrigin.standard

    var description: String { (origin.location.map { "\($0): " } ?? "") + detail }

    /// The description without file and line.
    var detail: String {
        [key, origin.column.map { "column \($0)" }, reason].compactMap { $0 }.joined(separator: ": ")
    }
}
