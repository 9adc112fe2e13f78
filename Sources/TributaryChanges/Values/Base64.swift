/// Base 64 of RFC 4648 with padding; decoding accepts only the canonical text.
package enum Base64 {
    /// Returns the bytes; nil when `text` is not the text that ``encode(_:)`` returns for them.
    package static func decode(_ text: String) -> [UInt8]? {
        var text = text
        return text.withUTF8 { decode(bytes: $0) }
    }

    /// Returns the text of `bytes`.
    package static func encode(_ bytes: [UInt8]) -> String {
        let length = (bytes.count + 2) / 3 * 4
        return String(unsafeUninitializedCapacity: length) { buffer in
            var position = 0
            var index = 0
            while index < bytes.count {
                let available = min(3, bytes.count - index)
                let first = UInt32(bytes[index]) << 16
                let second = available > 1 ? UInt32(bytes[index + 1]) << 8 : 0
                let third = available > 2 ? UInt32(bytes[index + 2]) : 0
                let group = first | second | third
                buffer[position] = letter(group >> 18)
                buffer[position + 1] = letter(group >> 12)
                buffer[position + 2] = available > 1 ? letter(group >> 6) : padding
                buffer[position + 3] = available > 2 ? letter(group) : padding
                position += 4
                index += 3
            }
            return length
        }
    }

    private static let padding = UInt8(ascii: "=")

    private static func decode(bytes text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard text.count % 4 == 0 else { return nil }
        guard let last = text.last else { return [] }
        let missing = last == padding ? (text[text.count - 2] == padding ? 2 : 1) : 0
        let length = text.count / 4 * 3 - missing
        var isValid = true
        let bytes = [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            var index = 0
            while index < text.count {
                let isLast = index == text.count - 4
                var group: UInt32 = 0
                for offset in 0..<4 {
                    let isPadding = isLast && offset >= 4 - missing
                    guard let value = isPadding ? 0 : number(text[index + offset]) else {
                        isValid = false
                        return
                    }
                    group = group << 6 | value
                }
                let wanted = isLast ? 3 - missing : 3
                for offset in 0..<3 {
                    let byte = UInt8(truncatingIfNeeded: group >> UInt32(16 - 8 * offset))
                    if offset < wanted {
                        buffer[count] = byte
                        count += 1
                    } else if byte != 0 {
                        isValid = false
                        return
                    }
                }
                index += 4
            }
        }
        return isValid ? bytes : nil
    }

    private static func letter(_ value: UInt32) -> UInt8 {
        let value = UInt8(truncatingIfNeeded: value) & 0x3F
        return switch value {
        case 0..<26: UInt8(ascii: "A") + value
        case 26..<52: UInt8(ascii: "a") + value - 26
        case 52..<62: UInt8(ascii: "0") + value - 52
        case 62: UInt8(ascii: "+")
        default: UInt8(ascii: "/")
        }
    }

    private static func number(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
