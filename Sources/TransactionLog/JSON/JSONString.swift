import TributaryChanges

struct JSONString {
    var start: Int
    var end: Int
    var isEscaped: Bool
    var hasHalf = false
}

extension JSONScanner {
    mutating func string() throws(JSONError) -> JSONString {
        let string = try valueString()
        guard !string.hasHalf else { throw failure("half a surrogate pair is not a character") }
        return string
    }

    mutating func valueString() throws(JSONError) -> JSONString {
        guard peek() == UInt8(ascii: "\"") else { throw unexpected("a string") }
        position += 1
        let start = position
        var (isEscaped, hasHalf) = (false, false)
        let count = bytes.count
        while true {
            var byte: UInt8 = 0
            skipPlainCharacters()
            while position < count {
                byte = bytes[position]
                if byte == 0x22 || byte == 0x5C || byte < 0x20 || byte >= 0x80 { break }
                position += 1
            }
            guard position < count else { throw failure("a string does not end") }
            switch byte {
            case 0x22:
                let end = position
                position += 1
                return JSONString(start: start, end: end, isEscaped: isEscaped, hasHalf: hasHalf)
            case 0x5C:
                isEscaped = true
                if try !skipEscape() { hasHalf = true }
            case 0..<0x20: throw failure("a control character in a string is not escaped")
            default: try skipMultibyte()
            }
        }
    }

    @inline(__always)
    private mutating func skipPlainCharacters() {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        let raw = UnsafeRawBufferPointer(bytes)
        while position + 8 <= raw.count {
            let word = raw.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            // The high bit of each byte is set for a quotation mark, a backslash, a byte below 0x20 or above 0x7F.
            let quote = word ^ (ones &* 0x22)
            let backslash = word ^ (ones &* 0x5C)
            let special = (quote &- ones) | (backslash &- ones) | (word &- ones &* 0x20) | word
            guard special & highs == 0 else { return }
            position += 8
        }
    }

    func text(of string: JSONString) -> String {
        guard string.isEscaped else {
            return String(decoding: UnsafeBufferPointer(rebasing: bytes[string.start..<string.end]), as: UTF8.self)
        }
        var text: [UInt8] = []
        unescape(string, into: &text)
        return String(decoding: text, as: UTF8.self)
    }

    mutating func name(of string: JSONString) -> String {
        guard !string.isEscaped else { return text(of: string) }
        return names.name(UnsafeBufferPointer(rebasing: bytes[string.start..<string.end]))
    }

    func uniqueID(of string: JSONString) -> UniqueID? {
        guard !string.isEscaped else { return UniqueID(text(of: string)) }
        return UniqueID(
            text: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[string.start..<string.end])
        )
    }

    private mutating func skipEscape() throws(JSONError) -> Bool {
        guard position + 1 < bytes.count else { throw failure("a string does not end") }
        switch bytes[position + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 2
        case UInt8(ascii: "u"):
            guard let unit = codeUnit(at: position + 2) else { throw failure("\\u needs four hexadecimal digits") }
            let isPair = second(after: unit, at: position + 6) != nil
            position += isPair ? 12 : 6
            return isPair || unit & 0xF800 != 0xD800
        default: throw failure("a backslash is followed by something that JSON does not know")
        }
        return true
    }

    private func second(after first: UInt32, at start: Int) -> UInt32? {
        guard first & 0xFC00 == 0xD800, start + 1 < bytes.count, bytes[start] == UInt8(ascii: "\\"),
            bytes[start + 1] == UInt8(ascii: "u"), let second = codeUnit(at: start + 2), second & 0xFC00 == 0xDC00
        else { return nil }
        return second
    }

    private func codeUnit(at start: Int) -> UInt32? {
        guard start + 4 <= bytes.count else { return nil }
        var value: UInt32 = 0
        for index in start..<(start + 4) {
            guard let digit = hexadecimalDigit(bytes[index]) else { return nil }
            value = value << 4 | UInt32(digit)
        }
        return value
    }

    private mutating func skipMultibyte() throws(JSONError) {
        let first = bytes[position]
        var low: UInt8 = 0x80
        var high: UInt8 = 0xBF
        let length: Int
        switch first {
        case 0xC2...0xDF: length = 2
        case 0xE0...0xEF:
            length = 3
            if first == 0xE0 { low = 0xA0 }
            if first == 0xED { high = 0x9F }
        case 0xF0...0xF4:
            length = 4
            if first == 0xF0 { low = 0x90 }
            if first == 0xF4 { high = 0x8F }
        default: throw failure("the bytes are not UTF-8")
        }
        guard position + length <= bytes.count, bytes[position + 1] >= low, bytes[position + 1] <= high else {
            throw failure("the bytes are not UTF-8")
        }
        for index in (position + 2)..<max(position + 2, position + length) where bytes[index] & 0xC0 != 0x80 {
            throw failure("the bytes are not UTF-8")
        }
        position += length
    }

    func unescape(_ string: JSONString, into text: inout [UInt8]) {
        var index = string.start
        while index < string.end {
            guard bytes[index] == 0x5C else {
                text.append(bytes[index])
                index += 1
                continue
            }
            let escape = bytes[index + 1]
            index += 2
            switch escape {
            case UInt8(ascii: "b"): text.append(0x08)
            case UInt8(ascii: "f"): text.append(0x0C)
            case UInt8(ascii: "n"): text.append(0x0A)
            case UInt8(ascii: "r"): text.append(0x0D)
            case UInt8(ascii: "t"): text.append(0x09)
            case UInt8(ascii: "u"):
                var scalar = codeUnit(at: index) ?? 0xFFFD
                index += 4
                if let second = second(after: scalar, at: index) {
                    scalar = 0x10000 + ((scalar & 0x3FF) << 10 | (second & 0x3FF))
                    index += 6
                }
                text.append(contentsOf: String(Character(Unicode.Scalar(scalar) ?? "\u{FFFD}")).utf8)
            default: text.append(escape)
            }
        }
    }
}
