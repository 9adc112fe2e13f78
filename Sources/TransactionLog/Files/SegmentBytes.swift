/// A source of a segment's bytes: an open file, or memory in tests.
package protocol SegmentBytes: Sendable {
    var file: String { get }

    func size() throws(SegmentError) -> UInt64

    /// Reads at most as many bytes as fit into the buffer, and returns their number; 0 only at the end.
    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(SegmentError) -> Int
}

extension SegmentBytes {
    /// Reads exactly the bytes of a range.
    ///
    /// - Throws: ``SegmentError`` when the file is shorter, or the system cannot read it.
    func bytes(in range: Range<UInt64>) throws(SegmentError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(range.upperBound - range.lowerBound))
        var result: Result<Void, SegmentError> = .success(())
        bytes.withUnsafeMutableBytes { buffer in
            result = Result { () throws(SegmentError) in
                var filled = 0
                while filled < buffer.count {
                    let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
                    let count = try read(at: range.lowerBound + UInt64(filled), into: rest)
                    guard count > 0 else {
                        throw SegmentError(.changed, file: file, reason: "the file became shorter while it was read")
                    }
                    filled += count
                }
            }
        }
        try result.get()
        return bytes
    }
}
