import Foundation

package enum Base64 {
    package static func decode(_ text: String) -> [UInt8]? {
        guard let data = Data(base64Encoded: text), text.utf8.count == (data.count + 2) / 3 * 4 else { return nil }
        // Only the last group can have bits that belong to no byte.
        guard data.suffix((data.count + 2) % 3 + 1).base64EncodedString().utf8.elementsEqual(text.utf8.suffix(4)) else {
            return nil
        }
        return [UInt8](data)
    }

    package static func encode(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
}
