extension JSONValue {
    /// Parses a short JSON text, such as the value of a composite; nil when the text is no JSON or nests deeper than 8.
    ///
    /// Segments have a JSON scanner of their own, `JSONScanner`, which accepts the same texts; tests compare the two.
    /// The scanner reports the offset of an error, skips values without building them, and reads plain values into the
    /// columns of rows. This parser is not built on the scanner, because another module would prevent the inlining of
    /// the scanner's functions into the reader of segments.
    package init?(text: String) {
        var text = text
        let value = text.withUTF8 { bytes -> JSONValue? in
            var reader = JSONTextReader(bytes: bytes)
            return reader.readDocument()
        }
        guard let value else { return nil }
        self = value
    }
}

/// RFC 8259.
private struct JSONTextReader {
    private static let maximumDepth = 8
    let bytes: UnsafeBufferPointer<UInt8>
    private var index = 0

    init(bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    mutating func readDocument() -> JSONValue? {
        guard let value = readValue(depth: 0) else { return nil }
        skipSpace()
        return index == bytes.count ? value : nil
    }

    private mutating func readValue(depth: Int) -> JSONValue? {
        skipSpace()
        guard index < bytes.count else { return nil }
        switch bytes[index] {
        case UInt8(ascii: "{"): return depth < JSONTextReader.maximumDepth ? readObject(depth: depth) : nil
        case UInt8(ascii: "["): return depth < JSONTextReader.maximumDepth ? readArray(depth: depth) : nil
        case UInt8(ascii: "\""): return readString().map(JSONValue.string)
        case UInt8(ascii: "t"): return read(word: "true") ? .boolean(true) : nil
        case UInt8(ascii: "f"): return read(word: "false") ? .boolean(false) : nil
        case UInt8(ascii: "n"): return read(word: "null") ? .null : nil
        default: return readNumber()
        }
    }

    private mutating func readObject(depth: Int) -> JSONValue? {
        index += 1
        var members: [JSONMember] = []
        skipSpace()
        if consume("}") { return .object([]) }
        while true {
            skipSpace()
            guard let key = readString() else { return nil }
            skipSpace()
            guard consume(":"), let value = readValue(depth: depth + 1) else { return nil }
            members.append(JSONMember(key: key, value: value))
            skipSpace()
            if consume("}") { return members.repeatsKey ? nil : .object(members) }
            guard consume(",") else { return nil }
        }
    }

    private mutating func readArray(depth: Int) -> JSONValue? {
        index += 1
        var values: [JSONValue] = []
        skipSpace()
        if consume("]") { return .array([]) }
        while true {
            guard let value = readValue(depth: depth + 1) else { return nil }
            values.append(value)
            skipSpace()
            if consume("]") { return .array(values) }
            guard consume(",") else { return nil }
        }
    }

    private mutating func readNumber() -> JSONValue? {
        let start = index
        var isInteger = true
        _ = consume("-")
        let integerStart = index
        guard skipDigits() > 0 else { return nil }
        guard index - integerStart == 1 || bytes[integerStart] != UInt8(ascii: "0") else { return nil }
        if consume(".") {
            isInteger = false
            guard skipDigits() > 0 else { return nil }
        }
        if consume("e") || consume("E") {
            isInteger = false
            if !consume("+") { _ = consume("-") }
            guard skipDigits() > 0 else { return nil }
        }
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        if isInteger { return Int64(text).map(JSONValue.integer) ?? .unrepresentable(text) }
        guard let value = Double(text), value.isFinite else { return .unrepresentable(text) }
        return .fraction(value, text: text)
    }

    private mutating func readString() -> String? {
        guard consume("\"") else { return nil }
        var text: [UInt8] = []
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let scalar = readEscape() else { return nil }
                text.append(contentsOf: UTF8.encode(scalar).map(Array.init) ?? [])
            case 0..<0x20: return nil
            default: text.append(byte)
            }
        }
        return nil
    }

    private mutating func readEscape() -> Unicode.Scalar? {
        guard index < bytes.count else { return nil }
        let byte = bytes[index]
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            guard let first = readHexadecimal() else { return nil }
            guard (0xD800..<0xDC00).contains(first) else { return Unicode.Scalar(first) }
            guard consume("\\"), consume("u"), let second = readHexadecimal(), (0xDC00..<0xE000).contains(second) else {
                return nil
            }
            return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        default: return nil
        }
    }

    private mutating func readHexadecimal() -> UInt32? {
        guard index + 4 <= bytes.count else { return nil }
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = hexadecimalDigit(bytes[index]) else { return nil }
            value = value << 4 | UInt32(digit)
            index += 1
        }
        return value
    }

    private mutating func read(word: StaticString) -> Bool {
        for offset in 0..<word.utf8CodeUnitCount {
            guard index < bytes.count, bytes[index] == word.utf8Start[offset] else { return false }
            index += 1
        }
        return true
    }

    private mutating func skipDigits() -> Int {
        let start = index
        while index < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index]) { index += 1 }
        return index - start
    }

    private mutating func skipSpace() {
        while index < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[index]) { index += 1 }
    }

    private mutating func consume(_ character: Unicode.Scalar) -> Bool {
        guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }
}
