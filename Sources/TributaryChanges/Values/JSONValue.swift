package enum JSONValue: Hashable, Sendable {
    case null
    case boolean(Bool)
    /// A number without fraction or exponent that fits 64 bits.
    case integer(Int64)
    case double(Double)
    /// A number with fraction or exponent and more digits than a double can represent, as text; dates need it.
    case number(String)
    /// A number outside the range of 64-bit integers or doubles, or a string with half a surrogate pair, as JSON text.
    case unrepresentable(String)
    case string(String)
    case array([JSONValue])
    /// The members in the order of the text; no two keys have equal Unicode scalars.
    case object([JSONMember])

    package static func members(of members: KeyValuePairs<String, JSONValue?>) -> [JSONMember] {
        members.compactMap { key, value in value.map { JSONMember(key: key, value: $0) } }
    }

    package subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key.isIdentical(to: key) }?.value
    }

    package static func members(_ members: KeyValuePairs<String, JSONValue?>) -> JSONValue {
        .object(JSONValue.members(of: members))
    }

    package static func count(_ number: some BinaryInteger) -> JSONValue { .integer(Int64(clamping: number)) }

    /// Keeps the text of a number only where it denotes another date than `value`, the nearest double.
    ///
    /// `digits` are all digits as an integer, and the number of places after the point, if known.
    package static func fraction(
        _ value: Double,
        digits: (count: Int64, places: Int)? = nil,
        text: @autoclosure () -> String
    ) -> JSONValue {
        // Within these bounds doubles of Unix seconds are coarser than dates.
        guard value.magnitude > 1e8, value.magnitude < 1e25 else { return .double(value) }
        if let digits, let date = DateValue(unixCount: digits.count, places: digits.places) {
            return date == DateValue(unixSeconds: value) ? .double(value) : .number(text())
        }
        let text = text()
        guard text != value.description, !text.hasSuffix(".0"), let date = DateValue(unixText: text),
            date != DateValue(unixSeconds: value)
        else { return .double(value) }
        return .number(text)
    }

    package var kind: String {
        switch self {
        case .null: "null"
        case .boolean: "a boolean"
        case .integer: "an integer"
        case .double, .number: "a number"
        case .unrepresentable(let text):
            text.hasPrefix("\"") ? "a string with half a surrogate pair" : "a number out of range"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

package struct JSONMember: Hashable, Sendable {
    package var key: String
    package var value: JSONValue

    package init(key: String, value: JSONValue) {
        self.key = key
        self.value = value
    }
}

extension [JSONMember] {
    package var repeatsKey: Bool {
        guard count > 16 else {
            return indices.contains { later in
                self[..<later].contains { $0.key.isIdentical(to: self[later].key) }
            }
        }
        return Set(map { [UInt8]($0.key.utf8) }).count < count
    }
}

// MARK: Writing

extension JSONValue {
    package init(increment amount: JSONValue) {
        self = .object([JSONMember(key: "increment", value: amount)])
    }

    package var increment: JSONValue? {
        if case .object(let members) = self, members.count == 1 { self["increment"] } else { nil }
    }
}

extension JSONValue {
    /// A number has the shortest text that parses to the same value; only the escapes that RFC 8259 demands are
    /// written.
    package func write(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .boolean(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .integer(let value): bytes.append(contentsOf: String(value).utf8)
        case .double(let value): bytes.append(contentsOf: value.description.utf8)
        case .number(let text), .unrepresentable(let text): bytes.append(contentsOf: text.utf8)
        case .string(let text): JSONValue.write(string: text, to: &bytes)
        case .array(let values):
            bytes.append(UInt8(ascii: "["))
            bytes.append(list: values) { value, bytes in value.write(to: &bytes) }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            bytes.append(list: members) { member, bytes in
                JSONValue.write(string: member.key, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    /// Members are sorted by key, so that equal values have equal bytes.
    package var canonicalBytes: [UInt8] {
        var bytes: [UInt8] = []
        inKeyOrder.write(to: &bytes)
        return bytes
    }

    package var text: String {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    package var inKeyOrder: JSONValue {
        switch self {
        case .array(let values): .array(values.map(\.inKeyOrder))
        case .object(let members):
            .object(
                members.map { JSONMember(key: $0.key, value: $0.value.inKeyOrder) }
                    .sorted { $0.key.precedesByBytes($1.key) }
            )
        default: self
        }
    }

    package static func write(string: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        var string = string
        string.withUTF8 { text in
            // The bytes between two escapes are copied at once.
            var start = 0
            for (index, byte) in text.enumerated()
            where byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<index]))
                start = index + 1
                switch byte {
                case 0x0A: bytes.append(contentsOf: "\\n".utf8)
                case 0x0D: bytes.append(contentsOf: "\\r".utf8)
                case 0x09: bytes.append(contentsOf: "\\t".utf8)
                case 0..<0x20:
                    let digits = Array("0123456789abcdef".utf8)
                    bytes.append(contentsOf: "\\u00".utf8)
                    bytes.append(digits[Int(byte >> 4)])
                    bytes.append(digits[Int(byte & 0xF)])
                default:
                    bytes.append(UInt8(ascii: "\\"))
                    bytes.append(byte)
                }
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start...]))
        }
        bytes.append(UInt8(ascii: "\""))
    }
}

extension [UInt8] {
    @inline(__always)
    mutating func append<Item>(list: some Sequence<Item>, _ write: (Item, inout [UInt8]) -> Void) {
        var isFirst = true
        for item in list {
            if !isFirst { append(UInt8(ascii: ",")) }
            isFirst = false
            write(item, &self)
        }
    }
}

// MARK: Parsing

extension JSONValue {
    /// Parses a short JSON text; nil when it is not JSON or nests deeper than 8.
    ///
    /// `JSONScanner` accepts the same texts; tests compare the two. This parser is not built on it, because then its
    /// functions could not be inlined into the reader of segments.
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
        case UInt8(ascii: "\""): return readString()
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
            guard case .string(let key)? = readString() else { return nil }
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

    private mutating func readString() -> JSONValue? {
        guard consume("\"") else { return nil }
        var (escaped, part) = ([UInt8](), [UInt8]())
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let text = String(validating: part, as: UTF8.self) else { return nil }
                if escaped.isEmpty { return .string(text) }
                escaped += JSONValue.string(text).text.utf8.dropFirst()
                return .unrepresentable(String(decoding: escaped, as: UTF8.self))
            case UInt8(ascii: "\\"):
                guard let code = readEscape() else { return nil }
                if let scalar = Unicode.Scalar(code) {
                    part.append(contentsOf: UTF8.encode(scalar).map(Array.init) ?? [])
                } else {
                    guard let text = String(validating: part, as: UTF8.self) else { return nil }
                    escaped += JSONValue.string(text).text.utf8.dropFirst(escaped.isEmpty ? 0 : 1).dropLast()
                    escaped += "\\u\(String(code, radix: 16))".utf8
                    part = []
                }
            case 0..<0x20: return nil
            default: part.append(byte)
            }
        }
        return nil
    }

    private mutating func readEscape() -> UInt32? {
        guard index < bytes.count else { return nil }
        let byte = bytes[index]
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return UInt32(byte)
        case UInt8(ascii: "b"): return 0x08
        case UInt8(ascii: "f"): return 0x0C
        case UInt8(ascii: "n"): return 0x0A
        case UInt8(ascii: "r"): return 0x0D
        case UInt8(ascii: "t"): return 0x09
        case UInt8(ascii: "u"):
            guard let first = readHexadecimal() else { return nil }
            let end = index
            guard first & 0xFC00 == 0xD800, consume("\\"), consume("u"), let second = readHexadecimal(),
                second & 0xFC00 == 0xDC00
            else {
                index = end
                return first
            }
            return 0x10000 + (first & 0x3FF) << 10 + (second & 0x3FF)
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
