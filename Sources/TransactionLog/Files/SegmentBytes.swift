/// Where the bytes of a segment come from: an open file, or a test's own.
package protocol SegmentBytes: Sendable {
    /// What errors call it.
    var file: String { get }

    /// How many bytes there are now.
    func size() throws(SegmentError) -> UInt64

    /// Reads some bytes, at most what fits; 0 only past the last one.
    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(SegmentError) -> Int
}

extension SegmentBytes {
    /// Reads exactly the range, which must be there.
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
