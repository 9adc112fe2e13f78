package import TributaryChanges

/// The state of an object that is not visible: a tombstone, the values that were written before its insert, or a shadow.
package struct PartialRow {
    package typealias Register = TributaryChanges.Register<Int64, PropertyValue>

    package var deleted: Int64?
    /// For each column, the register that no deletion supersedes.
    package var registers: [Int: Register] = [:]

    /// A live object that is not visible, because a visible object has one of its unique keys (merge statement 15).
    package struct Shadow: Hashable {
        package var inserted: Int64
        package var entity: Int64
        /// The visible object that references to the shadow show; it follows from the other live objects.
        package var representative: UniqueID
    }

    /// The head of a shadow; nil for an object that is not live.
    package var shadow: Shadow?

    package init(deleted: Int64? = nil) {
        self.deleted = deleted
    }

    package init(deleted: Int64?, packed: UnsafeRawBufferPointer) {
        self.deleted = deleted
        var reader = VariableLengthReader(bytes: packed)
        while let column = reader.next() {
            guard let number = reader.next(), let value = PropertyValue(unpacking: &reader) else { return }
            registers[Int(clamping: column)] = Register(version: Int64(bitPattern: number), value: value)
        }
    }

    var packed: [UInt8]? {
        guard !registers.isEmpty else { return nil }
        var writer = VariableLengthWriter()
        for (column, register) in registers.sorted(by: { $0.key < $1.key }) {
            writer.append(UInt64(column))
            writer.append(UInt64(bitPattern: register.version))
            register.value.pack(into: &writer)
        }
        return writer.bytes
    }
}
