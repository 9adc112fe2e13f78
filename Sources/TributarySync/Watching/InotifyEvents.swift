import Glibc

/// The events in a buffer that was read from an inotify descriptor, one after the other.
struct InotifyEvents: Sequence, IteratorProtocol {
    struct Event {
        var watch: Int32
        var mask: UInt32
        /// Empty for an event of the watched folder itself.
        var name: String

        func has(_ flags: UInt32) -> Bool { mask & flags != 0 }
    }

    private let buffer: UnsafeRawBufferPointer
    private var offset = 0

    init(_ buffer: UnsafeRawBufferPointer) { self.buffer = buffer }

    mutating func next() -> Event? {
        let headerSize = 16
        guard offset + headerSize <= buffer.count else { return nil }
        let watch = buffer.loadUnaligned(fromByteOffset: offset, as: Int32.self)
        let mask = buffer.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
        let length = Int(buffer.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
        let end = Swift.min(offset + headerSize + length, buffer.count)
        // The name is padded with NULs.
        let name = buffer[(offset + headerSize)..<end].prefix { $0 != 0 }
        offset = end
        return Event(watch: watch, mask: mask, name: String(decoding: name, as: UTF8.self))
    }
}
