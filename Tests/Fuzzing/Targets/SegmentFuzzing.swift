import TestSupport
import TransactionLog
import TributaryChanges

/// Segments and baselines of arbitrary bytes.
enum SegmentFuzzing {
    private static let writer = UniqueID(high: 0x5F0C_0000_0000_4000, low: 0x8000_0000_0000_0001)

    static func readSegment(_ bytes: [UInt8]) {
        let source = MemorySegment(bytes)
        let header = try? SegmentHeader.read(source)
        let writer = header?.writer ?? writer
        read(source, SegmentName(writer: writer, first: header?.first ?? 1, last: header?.last ?? 1))
    }

    /// Reads the lines as those of a segment whose header names the greatest transaction of the lines, and whose end line
    /// counts and hashes them correctly.
    static func readLines(_ bytes: [UInt8]) {
        let lines = bytes.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
        let count = UInt64(lines.count { $0.hasPrefix("{\"transaction\"") })
        let segment = SegmentText(writer: writer, last: max(1, count), lines)
        read(MemorySegment(segment.bytes()), segment.name)
    }

    static func readBaseline(_ bytes: [UInt8]) { readBaseline(MemorySegment(bytes)) }

    /// Reads the lines with an end line of the right hash, whose counts come from the last line.
    static func readState(_ bytes: [UInt8]) {
        guard let end = bytes.lastIndex(of: 0x0A), end + 1 < bytes.count else { return }
        let body = Array(bytes[...end])
        let counts = String(decoding: bytes[(end + 1)...].prefix(200).filter { $0 != 0x0A }, as: UTF8.self)
        let hash = SegmentText.hash(body)
        readBaseline(MemorySegment(body + Array("{\(counts),\"sha256\":\"\(hash)\"}\n".utf8)))
    }

    /// Of a file that is encrypted with the key of the corpus every byte of the content is read, and each once.
    static func readEncrypted(_ bytes: [UInt8]) {
        _ = try? EncryptionKeys(text: String(decoding: bytes, as: UTF8.self))
        guard let keys = try? EncryptionKeys(text: String(repeating: "07", count: 32)),
            let content = try? EncryptedContent(MemorySegment(bytes), keys: keys)
        else { return }
        precondition(content.size < UInt64(bytes.count), "the content is longer than the file")
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 70_000, alignment: 16)
        defer { buffer.deallocate() }
        var offset: UInt64 = 0
        while let count = try? content.read(at: offset, into: buffer), count > 0 { offset += UInt64(count) }
        precondition(offset <= content.size, "more is read than there is")
    }

    private static func read(_ source: MemorySegment, _ name: SegmentName) {
        guard let segment = try? SegmentVerifier(sliceChanges: 4).verify(source, name: name) else { return }
        for makesRuns in [false, true] {
            let reader = SegmentReader(source, segment: segment, makesRuns: makesRuns)
            var changes: UInt64 = 0
            do {
                while let batch = try reader.nextBatch(limit: 3) { changes += UInt64(batch.changeCount) }
            } catch {
                preconditionFailure("a verified segment cannot be read: \(error)")
            }
            precondition(changes == segment.end.changes, "\(changes) changes instead of \(segment.end.changes)")
        }
    }

    private static func readBaseline(_ source: MemorySegment) {
        guard let baseline = try? VerifiedBaseline.verify(source) else { return }
        let reader = BaselineReader(source, baseline)
        do { while try reader.next() != nil {} } catch {
            preconditionFailure("a verified baseline cannot be read: \(error)")
        }
    }
}
