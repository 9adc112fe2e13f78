import TributaryChanges

/// What the store keeps of an object that is not visible: deleted, or not yet inserted.
struct HiddenObject {
    /// A register with the number of the transaction that wrote it.
    struct Register {
        var number: Int64
        var value: PropertyValue
    }

    /// The last deletion; nil when there was none.
    var deleted: Int64?
    /// By place: writes that no deletion has made void.
    var registers: [Int: Register] = [:]

    init(deleted: Int64? = nil) {
        self.deleted = deleted
    }

    init(deleted: Int64?, packed: UnsafeRawBufferPointer) {
        self.deleted = deleted
        var reader = VariableLengthReader(bytes: packed)
        while let place = reader.next() {
            guard let number = reader.next(), let value = PropertyValue(unpacking: &reader) else { return }
            registers[Int(clamping: place)] = Register(number: Int64(bitPattern: number), value: value)
        }
    }

    /// Nil when there are no registers.
    var packed: [UInt8]? {
        guard !registers.isEmpty else { return nil }
        var writer = VariableLengthWriter()
        for (place, register) in registers.sorted(by: { $0.key < $1.key }) {
            writer.append(UInt64(place))
            writer.append(UInt64(bitPattern: register.number))
            register.value.pack(into: &writer)
        }
        return writer.bytes
    }
}
