import Glibc

package struct InotifyEvents: Sequence, IteratorProtocol {
    package struct Event {
        package var watch: Int32
        package var mask: UInt32
        package var name: String

        package var isOverflow: Bool { has(UInt32(IN_Q_OVERFLOW)) }

        package func has(_ flags: UInt32) -> Bool { mask & flags != 0 }
    }

    private let buffer: UnsafeRawBufferPointer
    private var offset = 0

    package init(_ buffer: UnsafeRawBufferPointer) { self.buffer = buffer }

    package mutating func next() -> Event? {
        let headerSize = 16
        guard offset + headerSize <= buffer.count else { return nil }
        let watch = buffer.loadUnaligned(fromByteOffset: offset, as: Int32.self)
        let mask = buffer.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
        let length = Int(buffer.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
        let end = Swift.min(offset + headerSize + length, buffer.count)
        // The name is padded with NUL bytes.
        let name = buffer[(offset + headerSize)..<end].prefix { $0 != 0 }
        offset = end
        return Event(watch: watch, mask: mask, name: String(decoding: name, as: UTF8.self))
    }
}
