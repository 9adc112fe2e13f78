import TributaryChanges

extension OneToOneOwner {
    /// The version as 28 bytes with the order of versions: clock, writer and index, each most significant byte first.
    var rank: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 28) { buffer, count in
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            bytes.storeBytes(of: version.clock.rawValue.bigEndian, toByteOffset: 0, as: UInt64.self)
            version.writer.write(to: UnsafeMutableRawBufferPointer(rebasing: bytes[8..<24]))
            bytes.storeBytes(of: UInt32(clamping: version.index).bigEndian, toByteOffset: 24, as: UInt32.self)
            count = 28
        }
    }
}

extension VisibleRow {
    /// The object as an owner of the target that its one-to-one register holds.
    func owner(
        _ column: StoreModel.ColumnIndex,
        _ layout: StoreModel,
        _ versions: VersionCache
    ) throws -> OneToOneOwner {
        let number = self.versions.register(column.column, isHeld: layout.entities[entity].holds[column.column])
        return OneToOneOwner(version: try number.map(versions.version) ?? .none, id: id)
    }
}
