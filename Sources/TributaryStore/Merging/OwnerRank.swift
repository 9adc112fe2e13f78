import TributaryChanges

/// The place of an object among those that a one-to-one relationship of one target could show as its owner.
///
/// The owner with the greatest version comes first; owners with equal versions, which only clones of a writer make, are
/// ordered by their identifiers, so that every replica shows the same one.
struct OwnerRank: Comparable {
    let version: Version
    let id: UniqueID

    static func < (left: OwnerRank, right: OwnerRank) -> Bool {
        left.version == right.version ? left.id < right.id : left.version < right.version
    }

    /// The version as 28 bytes that compare as versions do: clock, writer and index, each with its first byte first.
    static func bytes(of version: Version) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 28) { buffer, count in
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            bytes.storeBytes(of: version.clock.rawValue.bigEndian, toByteOffset: 0, as: UInt64.self)
            version.writer.write(to: UnsafeMutableRawBufferPointer(rebasing: bytes[8..<24]))
            bytes.storeBytes(of: UInt32(clamping: version.index).bigEndian, toByteOffset: 24, as: UInt32.self)
            count = 28
        }
    }
}
