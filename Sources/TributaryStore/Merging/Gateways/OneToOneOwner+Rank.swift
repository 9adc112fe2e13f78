import TributaryChanges

extension OneToOneOwner {
    /// The version as 24 bytes with the order of versions: clock and writer, each most significant byte first.
    var rank: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 24) { buffer, count in
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            bytes.storeBytes(of: version.clock.rawValue.bigEndian, toByteOffset: 0, as: UInt64.self)
            version.writer.write(to: UnsafeMutableRawBufferPointer(rebasing: bytes[8..<24]))
            count = 24
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
