/// Scans RFC 8259 JSON in bytes, one line of a segment or one request body at a time.
///
/// Values can be built or skipped, with the same validation; skipping allocates nothing. `JSONValue.init(text:)` is
/// another parser for short texts, and accepts the same texts.
struct JSONScanner {
    private(set) var bytes = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    var position = 0
    var keys = KeyStack()
    var names = NameTable()
    let depthLimit: Int

    /// The bytes must stay valid until the next text.
    mutating func begin(_ text: UnsafeBufferPointer<UInt8>) {
        bytes = text
        position = 0
        keys.removeAll()
    }

    /// For a text without keys: the stack of keys stays as it is.
    @inline(__always)
    mutating func begin(keyless text: UnsafeBufferPointer<UInt8>, at start: Int) {
        bytes = text
        position = start
    }

    @inline(__always)
    mutating func peek() -> UInt8? {
        while position < bytes.count {
            let byte = bytes[position]
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return byte }
            position += 1
        }
        return nil
    }

    @inline(__always)
    mutating func expect(_ byte: UInt8) throws(JSONError) {
        guard peek() == byte else { throw unexpected("'\(Character(Unicode.Scalar(byte)))'") }
        position += 1
    }

    mutating func expectEnd() throws(JSONError) {
        guard peek() == nil else { throw failure("there is more after the value") }
    }

    /// Reads a key and its colon, or the closing brace (nil); `first` is true before the first member.
    @inline(__always)
    mutating func nextMember(_ first: inout Bool) throws(JSONError) -> JSONString? {
        guard let byte = peek() else { throw unexpected("a member") }
        if byte == UInt8(ascii: "}") {
            position += 1
            return nil
        }
        if !first { try expect(UInt8(ascii: ",")) }
        first = false
        guard peek() == UInt8(ascii: "\"") else { throw unexpected("a key") }
        let key = try string()
        try expect(UInt8(ascii: ":"))
        keys.push(key, of: bytes)
        return key
    }

    @inline(__always)
    mutating func nextElement(_ first: inout Bool) throws(JSONError) -> Bool {
        guard let byte = peek() else { throw unexpected("an element") }
        if byte == UInt8(ascii: "]") {
            position += 1
            return false
        }
        if !first { try expect(UInt8(ascii: ",")) }
        first = false
        guard peek() != UInt8(ascii: "]") else { throw unexpected("an element") }
        return true
    }

    @inline(__always)
    mutating func open(_ bracket: UInt8, depth: Int) throws(JSONError) {
        try expect(bracket)
        guard depth <= depthLimit else {
            position -= 1
            throw failure("objects and arrays lie more than \(depthLimit) deep in each other")
        }
    }

    @inline(__always)
    mutating func closeKeys(from base: Int) throws(JSONError) {
        if let duplicate = keys.pop(to: base, of: bytes) {
            throw failure("the key '\(duplicate)' occurs twice")
        }
    }

    func failure(_ reason: String, at offset: Int? = nil) -> JSONError {
        JSONError(reason, offset: offset ?? position)
    }

    func unexpected(_ wanted: String) -> JSONError {
        guard position < bytes.count else { return failure("it ends where \(wanted) is expected") }
        let byte = bytes[position]
        let found = (0x21...0x7E).contains(byte) ? "'\(Character(Unicode.Scalar(byte)))'" : "byte \(byte)"
        return failure("\(found) was found where \(wanted) is expected")
    }
}
