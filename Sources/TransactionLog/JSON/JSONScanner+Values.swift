import TributaryChanges

extension JSONScanner {
    /// Reads a value; `depth` is the number of enclosing objects and arrays.
    mutating func value(depth: Int) throws(JSONError) -> JSONValue {
        guard let byte = peek() else { throw unexpected("a value") }
        switch byte {
        case UInt8(ascii: "\""): return .string(text(of: try string()))
        case UInt8(ascii: "{"): return .object(try members(depth: depth + 1))
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

    private mutating func members(depth: Int) throws(JSONError) -> [JSONMember] {
        try open(UInt8(ascii: "{"), depth: depth)
        let base = keys.count
        var members: [JSONMember] = []
        var first = true
        while let key = try nextMember(&first) {
            members.append(JSONMember(key: name(of: key), value: try value(depth: depth)))
        }
        try closeKeys(from: base)
        return members
    }

    /// Reads an object of property values at nesting level `depth`.
    mutating func writes(depth: Int) throws(JSONError) -> [PropertyWrite] {
        guard peek() == UInt8(ascii: "{") else { throw unexpected("an object of values") }
        try open(UInt8(ascii: "{"), depth: depth)
        let base = keys.count
        var writes: [PropertyWrite] = []
        writes.reserveCapacity(8)
        var first = true
        while let key = try nextMember(&first) {
            writes.append(PropertyWrite(name: name(of: key), value: try value(depth: depth)))
        }
        try closeKeys(from: base)
        return writes
    }

    /// Reads a value without building it; validates everything that `value(depth:)` validates.
    mutating func skipValue(depth: Int) throws(JSONError) {
        guard let byte = peek() else { throw unexpected("a value") }
        switch byte {
        case UInt8(ascii: "\""): _ = try string()
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
