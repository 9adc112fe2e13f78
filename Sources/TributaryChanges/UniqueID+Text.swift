extension UniqueID: CustomStringConvertible, LosslessStringConvertible {
    /// Reads the 36-character form, upper or lower case; nil for anything else.
    public init?(_ text: some StringProtocol) {
        var text = String(text)
        let parsed = text.withUTF8 { UniqueID(text: UnsafeRawBufferPointer($0)) }
        guard let parsed else { return nil }
        self = parsed
    }

    /// Reads the 36-character form from UTF-8 bytes, upper or lower case; nil for anything else.
    package init?(text bytes: UnsafeRawBufferPointer) {
        guard bytes.count == 36 else { return nil }
        let dash = UInt8(ascii: "-")
        guard bytes[8] == dash, bytes[13] == dash, bytes[18] == dash, bytes[23] == dash else { return nil }
        // Every object of the log goes through here: digits are gathered first and judged once.
        var isHexadecimal = true
        @inline(__always)
        func append(_ range: Range<Int>, to value: inout UInt64) {
            for index in range {
                let number = bytes[index] &- UInt8(ascii: "0")
                let letter = (bytes[index] | 0x20) &- UInt8(ascii: "a")
                isHexadecimal = isHexadecimal && (number < 10 || letter < 6)
                value = value << 4 | UInt64(number < 10 ? number : letter &+ 10)
            }
        }
        var halves: (UInt64, UInt64) = (0, 0)
        append(0..<8, to: &halves.0)
        append(9..<13, to: &halves.0)
        append(14..<18, to: &halves.0)
        append(19..<23, to: &halves.1)
        append(24..<36, to: &halves.1)
        guard isHexadecimal else { return nil }
        self.init(high: halves.0, low: halves.1)
    }

    /// The 36-character lower-case form.
    public var description: String {
        String(unsafeUninitializedCapacity: 36) { buffer in
            writeText(to: UnsafeMutableRawBufferPointer(buffer))
            return 36
        }
    }

    /// Writes the 36 lower-case characters to the start of `buffer`.
    package func writeText(to buffer: UnsafeMutableRawBufferPointer) {
        var position = 0
        for digit in 0..<32 {
            if digit == 8 || digit == 12 || digit == 16 || digit == 20 {
                buffer[position] = UInt8(ascii: "-")
                position += 1
            }
            let half = digit < 16 ? high : low
            let nibble = UInt8(truncatingIfNeeded: half >> UInt64(60 - 4 * (digit % 16))) & 0xF
            buffer[position] = nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
            position += 1
        }
    }
}

extension UniqueID: Codable {
    /// Reads the 36-character form.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let value = UniqueID(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text)' is not a UUID")
        }
        self = value
    }

    /// Writes the 36-character form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// The value of a hexadecimal digit, nil when `byte` is none.
package func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
}

/// `value` as sixteen lower-case hexadecimal digits, the form of clocks and sequences in the log folder.
package func hexadecimal16(_ value: UInt64) -> String {
    String(unsafeUninitializedCapacity: 16) { buffer in
        for position in 0..<16 {
            let nibble = UInt8(truncatingIfNeeded: value >> UInt64(60 - 4 * position)) & 0xF
            buffer[position] = nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
        }
        return 16
    }
}

/// Reads exactly sixteen lower-case hexadecimal digits; nil for anything else.
package func parseHexadecimal16(_ text: some StringProtocol) -> UInt64? {
    guard text.utf8.count == 16 else { return nil }
    var value: UInt64 = 0
    for byte in text.utf8 {
        guard let digit = hexadecimalDigit(byte), !(UInt8(ascii: "A")...UInt8(ascii: "F")).contains(byte) else {
            return nil
        }
        value = value << 4 | UInt64(digit)
    }
    return value
}
