import CLinux
import Glibc
package import TributaryChanges

/// Divides bytes into lines and hashes them; a line is valid until the next call.
package final class SegmentLineReader {
    static let lineLimit = 16 << 20
    /// After so many lines the thread lets others run; reading them takes less than 0.1 ms.
    private static let linesBetweenPauses = 32
    private static let initialCapacity = 256 << 10

    private let source: any SegmentBytes
    private let end: UInt64
    private var offset: UInt64
    private var buffer: UnsafeMutableRawBufferPointer
    private var filled = 0
    private var start = 0
    private var hashed = 0
    private var hash: SHA256
    package private(set) var line = 0

    /// `bounds` must end after a newline; `hash` includes the bytes before the range.
    package init(_ source: any SegmentBytes, bounds: Range<UInt64>, hash: SHA256 = SHA256(), capacity: Int? = nil) {
        self.source = source
        self.hash = hash
        offset = bounds.lowerBound
        end = bounds.upperBound
        let length = Int(clamping: bounds.upperBound - bounds.lowerBound)
        let capacity = min(max(length, 1), capacity ?? SegmentLineReader.initialCapacity)
        buffer = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit { buffer.deallocate() }

    var position: UInt64 { offset - UInt64(filled - start) }

    /// Returns the next line without its newline; nil at the end.
    package func next() throws(SegmentError) -> UnsafeBufferPointer<UInt8>? {
        var searched = start
        while true {
            if searched < filled, let base = buffer.baseAddress,
                let found = memchr(base + searched, 0x0A, filled - searched)
            {
                let stop = base.distance(to: UnsafeMutableRawPointer(found))
                line += 1
                if line.isMultiple(of: SegmentLineReader.linesBetweenPauses) { clinux_let_requests_run() }
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

    func parse<T>(_ body: () throws(JSONError) -> T) throws(SegmentError) -> T {
        do throws(JSONError) {
            return try body()
        } catch {
            throw SegmentError(.rejected, file: source.file, line: line, reason: error.reason)
        }
    }

    var hashSoFar: SHA256 {
        hashReadBytes()
        return hash
    }

    func finish() throws(SegmentError) -> SHA256.Digest {
        start = filled
        while try refill() { start = filled }
        return hashSoFar.finalize()
    }

    private func hashReadBytes() {
        guard start > hashed else { return }
        hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: buffer[hashed..<start]))
        hashed = start
    }

    private func refill() throws(SegmentError) -> Bool {
        guard offset < end else { return false }
        hashReadBytes()
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

extension UnsafeBufferPointer<UInt8> {
    var isBlank: Bool { allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D } }

    func contains(_ sequence: [UInt8]) -> Bool {
        guard let baseAddress, count >= sequence.count else { return false }
        return sequence.withUnsafeBytes { sequence in
            guard let needle = sequence.baseAddress else { return true }
            return clinux_contains(baseAddress, count, needle, sequence.count) != 0
        }
    }
}
