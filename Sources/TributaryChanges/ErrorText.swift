/// Describes errors as sentences, never as a dump of a Swift value.
package enum ErrorText {
    /// Returns the error's own description, or the name of its type when it has none.
    package static func text(of error: any Error) -> String {
        if error is CancellationError { return "it was cut short, since the daemon stops" }
        let hasWords = type(of: error) is any CustomStringConvertible.Type
        return hasWords ? "\(error)" : "an unexpected error (\(type(of: error)))"
    }
}
