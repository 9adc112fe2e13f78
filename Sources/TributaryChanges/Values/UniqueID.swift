public import Foundation

/// A 128-bit identifier of an object or a writer, ordered by its sixteen big-endian bytes.
///
/// New identifiers are UUIDs of version 7, which are ordered by time, so that consecutive inserts are neighbouring
/// rows. Identifiers of other versions are valid too. The text form is in lower case.
public struct UniqueID: Hashable, Sendable {
    /// Bytes 0 to 7, most significant first.
    public let high: UInt64
    /// Bytes 8 to 15, most significant first.
    public let low: UInt64

    /// Creates an identifier of two big-endian halves.
    @inlinable
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Creates the identifier with the bytes of a Foundation UUID.
    public init(_ uuid: UUID) {
        self = withUnsafeBytes(of: uuid.uuid) { UniqueID(bytes: $0) }
    }

    /// The Foundation UUID with the same bytes.
    public var uuid: UUID {
        withUnsafeTemporaryAllocation(byteCount: 16, alignment: 8) { buffer in
            write(to: buffer)
            return UUID(uuid: buffer.loadUnaligned(as: uuid_t.self))
        }
    }

    /// Takes the first sixteen bytes; `bytes` must not be shorter.
    @inlinable
    package init(bytes: UnsafeRawBufferPointer) {
        precondition(bytes.count >= 16, "an identifier has 16 bytes")
        high = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
        low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }

    /// Writes sixteen bytes.
    @inlinable
    package func write(to buffer: UnsafeMutableRawBufferPointer) {
        buffer.storeBytes(of: high.bigEndian, toByteOffset: 0, as: UInt64.self)
        buffer.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
    }

    package var bytes: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 16) { buffer, count in
            write(to: UnsafeMutableRawBufferPointer(buffer))
            count = 16
        }
    }

    /// A version 7 UUID (RFC 9562); `random` has the 74 bits that are not time.
    package static func version7(at time: WallTime, random: (UInt64, UInt64)) -> UniqueID {
        UniqueID(
            high: time.milliseconds << 16 | 0x7000 | (random.0 & 0x0FFF),
            low: 0x8000_0000_0000_0000 | (random.1 >> 2)
        )
    }
}

extension UniqueID {
    /// Compares the bytes.
    @inlinable
    public static func == (left: UniqueID, right: UniqueID) -> Bool { left.high == right.high && left.low == right.low }

    /// Hashes the bytes.
    @inlinable
    public func hash(into hasher: inout Hasher) {
        hasher.combine(high)
        hasher.combine(low)
    }
}

extension UniqueID: Comparable {
    /// Compares the bytes.
    @inlinable
    public static func < (left: UniqueID, right: UniqueID) -> Bool {
        left.high != right.high ? left.high < right.high : left.low < right.low
    }
}
