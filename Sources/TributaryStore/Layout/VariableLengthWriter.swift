/// Writes unsigned numbers in the form that ``VariableLengthReader`` reads.
struct VariableLengthWriter {
    private(set) var bytes: [UInt8] = []

    mutating func append(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func append(contentsOf more: some Sequence<UInt8>) {
        bytes.append(contentsOf: more)
    }
}
