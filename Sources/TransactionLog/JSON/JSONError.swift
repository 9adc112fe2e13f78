/// An error in a JSON text, with its offset.
package struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The offset in bytes from the start of the text.
    package var offset: Int
    /// The reason as a clause without a capital, such as "the key 'id' occurs twice".
    package var reason: String

    package init(offset: Int, reason: String) {
        self.offset = offset
        self.reason = reason
    }

    package var description: String { "\(reason) (byte \(offset + 1))" }
}
