/// Reads unsigned numbers of variable length: seven bits a byte, the least significant first.
struct VariableLengthReader {
    private let bytes: UnsafeRawBufferPointer
    private(set) var index = 0

    init(bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    mutating func next() -> UInt64? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return value }
            shift += 7
        }
        return nil
    }

    /// The next `count` bytes; nil when there are fewer.
    mutating func read(_ count: Int) -> UnsafeRawBufferPointer? {
        guard count >= 0, count <= bytes.count - index else { return nil }
        defer { index += count }
        return UnsafeRawBufferPointer(rebasing: bytes[index..<index + count])
    }
}
