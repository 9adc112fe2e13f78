import CLinux
import Glibc
import TributaryChanges

/// Cuts a range of a segment's bytes into lines and hashes them on the way.
///
/// The memory is a buffer of 256 KiB, less for a shorter range, that grows with the longest line, to 16 MiB at most. A line
/// is valid until the next one is taken.
final class SegmentLineReader {
    /// The longest line, its newline not counted: 16 MiB.
    static let lineLimit = 16 << 20
    /// After so many lines other threads may run: few enough that reading them takes less than 0.1 ms.
    private static let linesBetweenPauses = 32
    private static let initialCapacity = 256 << 10

    private let source: any SegmentBytes
    private let end: UInt64
    /// Where the next read begins.
    private var offset: UInt64
    private var buffer: UnsafeMutableRawBufferPointer
    private var filled = 0
    /// Where the next line begins.
    private var start = 0
    /// What lies before it in the buffer is hashed.
    private var hashed = 0
    private var hash: SHA256
    /// How many lines have been taken.
    private(set) var line = 0

    /// Reads the range `bounds`, which must end after a newline; `hash` has taken what comes before it.
    init(_ source: any SegmentBytes, bounds: Range<UInt64>, hash: SHA256 = SHA256()) {
        self.source = source
        self.hash = hash
        offset = bounds.lowerBound
        end = bounds.upperBound
        let length = Int(clamping: bounds.upperBound - bounds.lowerBound)
        let capacity = min(max(length, 1), SegmentLineReader.initialCapacity)
        buffer = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit { buffer.deallocate() }

    /// The place in the file where the next line begins.
    var position: UInt64 { offset - UInt64(filled - start) }

    /// The next line without its newline; nil at the end.
    ///
    /// - Throws: ``SegmentError`` `rejected` when a line is too long or has no newline.
    func next() throws(SegmentError) -> UnsafeBufferPointer<UInt8>? {
        var searched = start
        while true {
            if searched < filled, let base = buffer.baseAddress,
                let found = memchr(base + searched, 0x0A, filled - searched)
            {
                let stop = base.distance(to: UnsafeMutableRawPointer(found))
                line += 1
                if line.isMultiple(of: SegmentLineReader.linesBetweenPauses) { clinux_let_others_run() }
                guard stop - start <= SegmentLineReader.lineLimit else { throw tooLong() }
                let text = UnsafeBufferPointer(
                    start: base.advanced(by: start).assumingMemoryBound(to: UInt8.self),
                    count: stop - start
                )
                start = stop + 1
                return text
            }
            guard filled - start <= SegmentLineReader.lineLimit else {
                line += 1
                throw tooLong()
            }
            let unsearched = filled - start
            guard try refill() else {
                guard filled == start else {
                    line += 1
                    throw SegmentError(.rejected, file: source.file, line: line, reason: "the line has no newline")
                }
                return nil
            }
            searched = start + unsearched
        }
    }

    /// The hash of all bytes up to the next line, those before the range included.
    var hashSoFar: SHA256 {
        takeIntoHash()
        return hash
    }

    /// Hashes what is left, without cutting it into lines, and gives the digest of everything.
    func finish() throws(SegmentError) -> SHA256.Digest {
        start = filled
        while try refill() { start = filled }
        return hashSoFar.finalize()
    }

    private func takeIntoHash() {
        guard start > hashed else { return }
        hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: buffer[hashed..<start]))
        hashed = start
    }

    /// Reads more behind the line that has begun; false when the range is read.
    private func refill() throws(SegmentError) -> Bool {
        guard offset < end else { return false }
        takeIntoHash()
        if start > 0 {
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[start..<filled]))
            filled -= start
            start = 0
            hashed = 0
        }
        if filled == buffer.count {
            let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: buffer.count * 2, alignment: 16)
            larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[..<filled]))
            buffer.deallocate()
            buffer = larger
        }
        let wanted = min(UInt64(buffer.count - filled), end - offset)
        let target = UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<(filled + Int(wanted))])
        let count = try source.read(at: offset, into: target)
        guard count > 0 else {
            throw SegmentError(.changed, file: source.file, reason: "the file became shorter while it was read")
        }
        filled += count
        offset += UInt64(count)
        return true
    }

    private func tooLong() -> SegmentError {
        SegmentError(.rejected, file: source.file, line: line, reason: "the line is longer than 16 MiB")
    }
}
