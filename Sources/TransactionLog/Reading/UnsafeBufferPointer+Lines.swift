import CLinux

extension UnsafeBufferPointer<UInt8> {
    /// Whether the bytes are spaces, tabs and carriage returns only.
    var isBlank: Bool { allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D } }

    /// Whether the bytes include those of `key`.
    ///
    /// An escaped key is not found; no writer of this project escapes "blob".
    func contains(_ key: [UInt8]) -> Bool {
        guard let baseAddress, count >= key.count else { return false }
        return key.withUnsafeBytes { key in
            guard let needle = key.baseAddress else { return true }
            return clinux_contains(baseAddress, count, needle, key.count) != 0
        }
    }
}
