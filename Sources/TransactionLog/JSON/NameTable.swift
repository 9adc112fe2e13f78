/// The names of entities and properties, with one string for each.
///
/// Only names of more than fifteen bytes are kept: a string stores shorter ones inline.
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
