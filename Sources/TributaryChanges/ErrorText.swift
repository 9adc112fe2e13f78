/// An error in words for people, never as the dump of a Swift value.
package enum ErrorText {
    /// The error's own description; without one the kind of error.
    package static func text(of error: any Error) -> String {
        if error is CancellationError { return "it was cut short, since the daemon stops" }
        let hasWords = type(of: error) is any CustomStringConvertible.Type
        return hasWords ? "\(error)" : "an unexpected error (\(type(of: error)))"
    }
}
