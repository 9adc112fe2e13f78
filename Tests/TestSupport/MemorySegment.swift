import Synchronization
package import TransactionLog

/// A segment's bytes in memory.
///
/// It returns them in pieces of the sizes that a test requests, and a test can change them during a read.
package final class MemorySegment: SegmentBytes {
    package let file: String
    private let content: Mutex<[UInt8]>
    private let piece: @Sendable (UInt64) -> Int

    package init(
        _ bytes: [UInt8],
        file: String = "memory.tlog",
        piece: @escaping @Sendable (UInt64) -> Int = { _ in .max }
    ) {
        self.file = file
        self.piece = piece
        content = Mutex(bytes)
    }

    package func replace(_ bytes: [UInt8]) { content.withLock { $0 = bytes } }

    package func size() throws(SegmentError) -> UInt64 { UInt64(content.withLock { $0.count }) }

    package func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(SegmentError) -> Int {
        content.withLock { bytes in
            guard offset < UInt64(bytes.count) else { return 0 }
            let count = min(buffer.count, bytes.count - Int(offset), max(1, piece(offset)))
            buffer.copyBytes(from: bytes[Int(offset)..<(Int(offset) + count)])
            return count
        }
    }
}
