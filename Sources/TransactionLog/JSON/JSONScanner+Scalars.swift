import TributaryChanges

/// Reads values that are neither objects nor arrays, without white space around them.
extension JSONScanner {
    /// Consumes a word when the next bytes are exactly its bytes.
    @inline(__always)
    mutating func consume(_ word: StaticString) -> Bool {
        let count = word.utf8CodeUnitCount
        guard bytes.count - position >= count else { return false }
        for index in 0..<count where bytes[position + index] != word.utf8Start[index] { return false }
        position += count
        return true
    }

    /// Reads a string without escapes; nil when the next bytes are none.
    mutating func plainString() -> JSONString? {
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else { return nil }
        guard let string = try? string(), !string.isEscaped else { return nil }
        return string
    }

    /// Reads and validates a plain value; false when the next bytes are none.
    @inline(__always)
    mutating func skipScalar() throws(JSONError) -> Bool {
        guard position < bytes.count else { return false }
        switch bytes[position] {
        case UInt8(ascii: "\""): _ = try string()
        case UInt8(ascii: "t"): return consume("true")
        case UInt8(ascii: "f"): return consume("false")
        case UInt8(ascii: "n"): return consume("null")
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try skipNumber()
        default: return false
        }
        return true
    }

    /// Reads a plain value that a run can hold; false for any other value.
    @inline(__always)
    mutating func scalar(into run: RowRun, _ column: Int) throws(JSONError) -> Bool {
        guard position < bytes.count else { return false }
        switch bytes[position] {
        case UInt8(ascii: "\""):
            let string = try string()
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
