/// All failures that prevent a save: each failing object and property, not only the first.
public struct ValidationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The failures in the order in which the objects were changed.
    public var failures: [ValidationFailure]

    /// Creates an error from its failures.
    public init(failures: [ValidationFailure]) {
        self.failures = failures
    }

    /// A description with one line for each failure.
    public var description: String { failures.map(\.description).joined(separator: "\n") }
}
