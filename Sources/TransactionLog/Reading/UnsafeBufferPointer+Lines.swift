import CLinux

extension UnsafeBufferPointer<UInt8> {
    /// Whether the bytes are spaces, tabs and carriage returns only.
    var isBlank: Bool { allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D } }

    /// Whether the bytes include the sequence.
    func contains(_ sequence: [UInt8]) -> Bool {
        guard let baseAddress, count >= sequence.count else { return false }
        return sequence.withUnsafeBytes { sequence in
            guard let needle = sequence.baseAddress else { return true }
            return clinux_contains(baseAddress, count, needle, sequence.count) != 0
        }
    }
}
