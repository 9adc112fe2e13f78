/// Why bytes are not the JSON that was asked for, and where.
package struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Bytes from the start of the text.
    package var offset: Int
    /// The reason as a clause without a capital, such as "the key 'id' stands there twice".
    package var reason: String

    package init(offset: Int, reason: String) {
        self.offset = offset
        self.reason = reason
    }

    package var description: String { "\(reason) (byte \(offset + 1))" }
}
