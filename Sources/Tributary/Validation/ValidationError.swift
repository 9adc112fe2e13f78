/// Everything that keeps a save from being made: each failing object and property, not only the first.
public struct ValidationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// In the order in which the objects were changed.
    public var failures: [ValidationFailure]

    /// An error of its failures.
    public init(failures: [ValidationFailure]) {
        self.failures = failures
    }

    /// One line for each failure.
    public var description: String { failures.map(\.description).joined(separator: "\n") }
}
