import Foundation

/// Base 64 of RFC 4648 with padding; decoding accepts only the canonical text.
package enum Base64 {
    /// Returns the bytes; nil when `text` is not the text that ``encode(_:)`` returns for them.
    package static func decode(_ text: String) -> [UInt8]? {
        guard let data = Data(base64Encoded: text), data.base64EncodedString() == text else { return nil }
        return [UInt8](data)
    }

    /// Returns the text of `bytes`.
    package static func encode(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
}
