/// The keys of the currently open JSON objects, for finding repeated keys.
///
/// Keys are compared by their unescaped bytes: "é" in two Unicode forms is two keys.
struct KeyStack {
    private struct Key {
        var start: Int
        var count: Int
        var isDecoded: Bool
    }

    /// An object with more keys is sorted to find a repeated key.
    private static let pairwiseLimit = 16

    private var keys: [Key] = []
    private var decoded: [UInt8] = []

    var count: Int { keys.count }

    mutating func removeAll() {
        keys.removeAll(keepingCapacity: true)
        decoded.removeAll(keepingCapacity: true)
    }

    @inline(__always)
    mutating func push(_ string: JSONString, of bytes: UnsafeBufferPointer<UInt8>) {
        guard string.isEscaped else {
            keys.append(Key(start: string.start, count: string.end - string.start, isDecoded: false))
            return
        }
        var scanner = JSONScanner(depthLimit: 1)
        scanner.begin(bytes)
        let start = decoded.count
        scanner.unescape(string, into: &decoded)
        keys.append(Key(start: start, count: decoded.count - start, isDecoded: true))
    }

    mutating func pop(to base: Int, of bytes: UnsafeBufferPointer<UInt8>) -> String? {
        let count = keys.count - base
        defer { keys.removeLast(count) }
        guard count > 1 else { return nil }
        guard count <= KeyStack.pairwiseLimit else { return duplicateBySorting(from: base, of: bytes) }
        for later in (base + 1)..<keys.count {
            for earlier in base..<later where keys[earlier].count == keys[later].count {
                if isEqual(keys[earlier], keys[later], of: bytes) { return text(keys[later], of: bytes) }
            }
        }
        return nil
    }

    private func duplicateBySorting(from base: Int, of bytes: UnsafeBufferPointer<UInt8>) -> String? {
        let texts = keys[base...].map { Array(slice($0, of: bytes)) }.sorted { $0.lexicographicallyPrecedes($1) }
        for (left, right) in zip(texts, texts.dropFirst()) where left == right {
            return String(decoding: left, as: UTF8.self)
        }
        return nil
    }

    private func isEqual(_ left: Key, _ right: Key, of bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        if !left.isDecoded, !right.isDecoded {
            for index in 0..<left.count where bytes[left.start + index] != bytes[right.start + index] { return false }
            return true
        }
        return slice(left, of: bytes).elementsEqual(slice(right, of: bytes))
    }

    private func slice(_ key: Key, of bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        let range = key.start..<(key.start + key.count)
        return key.isDecoded ? Array(decoded[range]) : Array(bytes[range])
    }

    private func text(_ key: Key, of bytes: UnsafeBufferPointer<UInt8>) -> String {
        String(decoding: slice(key, of: bytes), as: UTF8.self)
    }
}

/// Caches one string for each name of more than fifteen bytes; a string stores shorter names inline.
struct NameTable {
    private static let slotCount = 256
    private var slots: [String] = []

    mutating func name(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        guard bytes.count > 15 else { return String(decoding: bytes, as: UTF8.self) }
        if slots.isEmpty { slots = Array(repeating: "", count: NameTable.slotCount) }
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        let slot = Int(hash >> 32) & (NameTable.slotCount - 1)
        if slots[slot].utf8.count == bytes.count, slots[slot].utf8.elementsEqual(bytes) { return slots[slot] }
        let name = String(decoding: bytes, as: UTF8.self)
        slots[slot] = name
        return name
    }
}
