import TributaryChanges

extension JSONScanner {
    mutating func value(depth: Int) throws(JSONError) -> JSONValue {
        guard let byte = peek() else { throw unexpected("a value") }
        switch byte {
        case UInt8(ascii: "\""):
            let string = try valueString()
            guard string.hasHalf else { return .string(text(of: string)) }
            // `JSONValue.init(text:)` gives the same value for every spelling of a lone surrogate.
            let raw = String(decoding: bytes[(string.start - 1)...string.end], as: UTF8.self)
            guard let value = JSONValue(text: raw) else { throw unexpected("a string") }
            return value
        case UInt8(ascii: "{"): return .object(try object(depth: depth + 1) { JSONMember(key: $0, value: $1) })
        case UInt8(ascii: "["):
            try open(UInt8(ascii: "["), depth: depth + 1)
            var elements: [JSONValue] = []
            var first = true
            while try nextElement(&first) { elements.append(try value(depth: depth + 1)) }
            return .array(elements)
        case UInt8(ascii: "t"):
            try literal("true")
            return .boolean(true)
        case UInt8(ascii: "f"):
            try literal("false")
            return .boolean(false)
        case UInt8(ascii: "n"):
            try literal("null")
            return .null
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try numberValue()
        default: throw unexpected("a value")
        }
    }

    @inline(__always)
    private mutating func object<Member>(
        depth: Int,
        capacity: Int = 0,
        _ member: (String, JSONValue) -> Member
    ) throws(JSONError) -> [Member] {
        try open(UInt8(ascii: "{"), depth: depth)
        let base = keys.count
        var members: [Member] = []
        members.reserveCapacity(capacity)
        var first = true
        while let key = try nextMember(&first) { members.append(member(name(of: key), try value(depth: depth))) }
        try closeKeys(from: base)
        return members
    }

    mutating func writes(depth: Int) throws(JSONError) -> [PropertyWrite] {
        guard peek() == UInt8(ascii: "{") else { throw unexpected("an object of values") }
        return try object(depth: depth, capacity: 8) { PropertyWrite(name: $0, value: $1) }
    }

    /// Validates everything that `value(depth:)` validates.
    mutating func skipValue(depth: Int) throws(JSONError) {
        guard let byte = peek() else { throw unexpected("a value") }
        switch byte {
        case UInt8(ascii: "\""): _ = try valueString()
        case UInt8(ascii: "{"): try skipObject(depth: depth + 1)
        case UInt8(ascii: "["):
            try open(UInt8(ascii: "["), depth: depth + 1)
            var first = true
            while try nextElement(&first) { try skipValue(depth: depth + 1) }
        case UInt8(ascii: "t"): try literal("true")
        case UInt8(ascii: "f"): try literal("false")
        case UInt8(ascii: "n"): try literal("null")
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try skipNumber()
        default: throw unexpected("a value")
        }
    }

    mutating func skipObject(depth: Int) throws(JSONError) {
        guard peek() == UInt8(ascii: "{") else { throw unexpected("an object of values") }
        try open(UInt8(ascii: "{"), depth: depth)
        let base = keys.count
        var first = true
        while try nextMember(&first) != nil { try skipValue(depth: depth) }
        try closeKeys(from: base)
    }

    private mutating func literal(_ word: StaticString) throws(JSONError) {
        let start = position
        guard position + word.utf8CodeUnitCount <= bytes.count else { throw unexpected("a value") }
        for index in 0..<word.utf8CodeUnitCount where bytes[start + index] != word.utf8Start[index] {
            throw unexpected("a value")
        }
        position += word.utf8CodeUnitCount
    }
}

extension JSONScanner {
    @inline(__always)
    mutating func consume(_ word: StaticString) -> Bool {
        let count = word.utf8CodeUnitCount
        guard bytes.count - position >= count else { return false }
        for index in 0..<count where bytes[position + index] != word.utf8Start[index] { return false }
        position += count
        return true
    }

    /// Reads a string without escapes; nil when another value follows.
    mutating func plainString() -> JSONString? {
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else { return nil }
        guard let string = try? string(), !string.isEscaped else { return nil }
        return string
    }

    /// Returns false when an object or an array follows.
    @inline(__always)
    mutating func skipScalar() throws(JSONError) -> Bool {
        guard position < bytes.count else { return false }
        switch bytes[position] {
        case UInt8(ascii: "\""): _ = try valueString()
        case UInt8(ascii: "t"): return consume("true")
        case UInt8(ascii: "f"): return consume("false")
        case UInt8(ascii: "n"): return consume("null")
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try skipNumber()
        default: return false
        }
        return true
    }

    @inline(__always)
    mutating func scalar(into run: RowRun, _ column: Int) throws(JSONError) -> Bool {
        guard position < bytes.count else { return false }
        switch bytes[position] {
        case UInt8(ascii: "\""):
            let string = try valueString()
            guard !string.isEscaped else { return false }
            run.set(column, to: UnsafeBufferPointer(rebasing: bytes[string.start..<string.end]))
        case UInt8(ascii: "t"):
            guard consume("true") else { return false }
            run.set(column, to: RowRun.Cell(.yes))
        case UInt8(ascii: "f"):
            guard consume("false") else { return false }
            run.set(column, to: RowRun.Cell(.no))
        case UInt8(ascii: "n"):
            guard consume("null") else { return false }
            run.set(column, to: RowRun.Cell(.null))
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            let start = position
            switch try numberValue() {
            case .integer(let value): run.set(column, to: RowRun.Cell(.integer, bits: UInt64(bitPattern: value)))
            case .double(let value): run.set(column, to: RowRun.Cell(.double, bits: value.bitPattern))
            case .number: run.set(column, to: UnsafeBufferPointer(rebasing: bytes[start..<position]), as: .number)
            default: return false
            }
        default: return false
        }
        return true
    }
}
