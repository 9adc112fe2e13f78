public import Foundation

/// A 128-bit identifier of an object or a writer, ordered by its sixteen big-endian bytes.
///
/// New identifiers are UUIDs of version 7, which are ordered by time, so that consecutive inserts are neighbouring
/// rows. Identifiers of other versions are valid too. The text form is in lower case.
public struct UniqueID: Hashable, Sendable {
    /// Bytes 0 to 7, most significant first.
    public let high: UInt64
    /// Bytes 8 to 15, most significant first.
    public let low: UInt64

    /// Creates an identifier of two big-endian halves.
    @inlinable
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Creates the identifier with the bytes of a Foundation UUID.
    public init(_ uuid: UUID) {
        self = withUnsafeBytes(of: uuid.uuid) { UniqueID(bytes: $0) }
    }

    /// The Foundation UUID with the same bytes.
    public var uuid: UUID {
        withUnsafeTemporaryAllocation(byteCount: 16, alignment: 8) { buffer in
            write(to: buffer)
            return UUID(uuid: buffer.loadUnaligned(as: uuid_t.self))
        }
    }

    @inlinable
    package init(bytes: UnsafeRawBufferPointer) {
        precondition(bytes.count >= 16, "an identifier has 16 bytes")
        high = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
        low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }

    @inlinable
    package func write(to buffer: UnsafeMutableRawBufferPointer) {
        buffer.storeBytes(of: high.bigEndian, toByteOffset: 0, as: UInt64.self)
        buffer.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
    }

    package var bytes: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 16) { buffer, count in
            write(to: UnsafeMutableRawBufferPointer(buffer))
            count = 16
        }
    }

    /// A version 7 UUID (RFC 9562); `random` has the 74 bits that are not time.
    package static func version7(at time: WallTime, random: (UInt64, UInt64)) -> UniqueID {
        UniqueID(
            high: time.milliseconds << 16 | 0x7000 | (random.0 & 0x0FFF),
            low: 0x8000_0000_0000_0000 | (random.1 >> 2)
        )
    }
}

extension UniqueID {
    /// Compares the bytes.
    @inlinable
    public static func == (left: UniqueID, right: UniqueID) -> Bool { left.high == right.high && left.low == right.low }

    /// Hashes the bytes.
    @inlinable
    public func hash(into hasher: inout Hasher) {
        hasher.combine(high)
        hasher.combine(low)
    }
}

extension UniqueID: Comparable {
    /// Compares the bytes.
    @inlinable
    public static func < (left: UniqueID, right: UniqueID) -> Bool {
        left.high != right.high ? left.high < right.high : left.low < right.low
    }
}

extension UniqueID {
    /// The identifier of the object that a natural key identifies: machines that insert objects with the same key
    /// insert the same object, and merge it property by property.
    ///
    /// A UUID of version 8 (RFC 9562): the first sixteen bytes of the SHA-256 of the JSON array
    /// `["ENTITY","NAME",VALUE,…]` without white space, with version and variant set. The names are in the order of
    /// their UTF-8 bytes; values and escapes are written as in the canonical form of a segment.
    ///
    /// It is nil when the key is empty or has another value: a null identifies nothing, and numbers with a point have
    /// no single text.
    ///
    /// - Parameters:
    ///   - entity: The name of the entity that is inserted, as in the change.
    ///   - key: The values of the properties that identify the object. A segment must write them as strings, integers
    ///     or booleans, because doubles identify nothing.
    public init?(entity: String, key: [String: PropertyValue]) {
        var parts = [JSONValue.string(entity)]
        for (name, value) in key.sorted(by: { $0.key.precedesByBytes($1.key) }) {
            guard value.isKeyPart else { return nil }
            parts += [.string(name), value.json]
        }
        guard parts.count > 1 else { return nil }
        let hash = SHA256.hash(data: Array(JSONValue.array(parts).text.utf8)).bytes
        let bytes = hash.withUnsafeBytes { UniqueID(bytes: $0) }
        self.init(
            high: bytes.high & ~0xF000 | 0x8000,
            low: bytes.low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        )
    }
}

extension PropertyValue {
    package var isKeyPart: Bool {
        switch json {
        case .string, .integer, .boolean: true
        default: false
        }
    }

    package static let keyParts = "a string, an integer or a boolean, as it identifies the object"
}

// MARK: Text

extension UniqueID: CustomStringConvertible, LosslessStringConvertible {
    /// `prefix` is 8 to 35 characters of the 36-character form.
    package static func range(ofPrefix prefix: String) -> ClosedRange<UniqueID>? {
        guard (8..<36).contains(prefix.utf8.count) else { return nil }
        func filled(with digit: String) -> UniqueID? {
            let form = [8, 4, 4, 4, 12].map { String(repeating: digit, count: $0) }.joined(separator: "-")
            return UniqueID(prefix + form.dropFirst(prefix.count))
        }
        guard let first = filled(with: "0"), let last = filled(with: "f") else { return nil }
        return first...last
    }

    /// Parses the 36-character form in upper or lower case; nil for any other text.
    public init?(_ text: some StringProtocol) {
        var text = String(text)
        let parsed = text.withUTF8 { UniqueID(text: UnsafeRawBufferPointer($0)) }
        guard let parsed else { return nil }
        self = parsed
    }

    package init?(text bytes: UnsafeRawBufferPointer) {
        guard bytes.count == 36 else { return nil }
        let dash = UInt8(ascii: "-")
        guard bytes[8] == dash, bytes[13] == dash, bytes[18] == dash, bytes[23] == dash else { return nil }
        // Called for every object of the log, so it parses eight digits at a time.
        func digits(at offset: Int) -> UInt64 {
            UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        func four(_ offset: Int) -> UInt64 {
            UInt64(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
        }
        guard let first = UniqueID.eightDigits(digits(at: 0)),
            let second = UniqueID.eightDigits(four(9) << 32 | four(14)),
            let third = UniqueID.eightDigits(four(19) << 32 | four(24)),
            let fourth = UniqueID.eightDigits(digits(at: 28))
        else { return nil }
        self.init(high: first << 32 | second, low: third << 32 | fourth)
    }

    /// The first digit is in the highest byte; nil for any other characters.
    @inline(__always)
    private static func eightDigits(_ text: UInt64) -> UInt64? {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        guard text & highs == 0 else { return nil }
        // The high bit of each sum is set when its byte is at least the bound; no sum carries into the next byte.
        func isAtLeast(_ bound: UInt8, _ bytes: UInt64) -> UInt64 { bytes &+ ones &* UInt64(0x80 - bound) }
        let lower = text | ones &* 0x20
        let numbers = isAtLeast(0x30, text) & ~isAtLeast(0x3A, text) & highs
        let letters = isAtLeast(0x61, lower) & ~isAtLeast(0x67, lower) & highs
        guard numbers | letters == highs else { return nil }
        var value = text & (ones &* 0x0F) &+ (letters >> 7) &* 9
        value = (value | value >> 4) & 0x00FF_00FF_00FF_00FF
        value = (value | value >> 8) & 0x0000_FFFF_0000_FFFF
        return (value | value >> 16) & 0xFFFF_FFFF
    }

    /// The 36-character lower-case form.
    public var description: String {
        String(unsafeUninitializedCapacity: 36) { buffer in
            writeText(to: UnsafeMutableRawBufferPointer(buffer))
            return 36
        }
    }

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
    ///
    /// - Throws: ``DecodingError`` when the value is not a UUID.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let value = UniqueID(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text)' is not a UUID")
        }
        self = value
    }

    /// Writes the 36-character form.
    ///
    /// - Throws: The errors of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

package func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
}

package func isLowerHexadecimal(_ text: some StringProtocol) -> Bool {
    text.utf8.allSatisfy { hexadecimalDigit($0) != nil && $0 | 0x20 == $0 }
}

package func isSHA256(_ text: String) -> Bool { text.utf8.count == 64 && isLowerHexadecimal(text) }

package func hexadecimal16(_ value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
}

package func parseHexadecimal16(_ text: some StringProtocol) -> UInt64? {
    text.utf8.count == 16 && isLowerHexadecimal(text) ? UInt64(text, radix: 16) : nil
}

package func hexadecimalText(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 0xF, radix: 16) }.joined()
}

package func hexadecimalBytes(_ text: String, count: Int) -> [UInt8]? {
    let digits = text.utf8.map(hexadecimalDigit)
    guard digits.count == 2 * count else { return nil }
    var bytes: [UInt8] = []
    for place in stride(from: 0, to: digits.count, by: 2) {
        guard let high = digits[place], let low = digits[place + 1] else { return nil }
        bytes.append(high << 4 | low)
    }
    return bytes
}
