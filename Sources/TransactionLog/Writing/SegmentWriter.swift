import Glibc
import TributaryChanges

/// Writes the lines of a segment to a descriptor and hashes them.
///
/// ```swift
/// let writer = try SegmentWriter(descriptor: descriptor, file: path, header: header.line)
/// try writer.append(lines: transaction.lines, changes: transaction.changes.count)
/// let end = try writer.finish(last: header.last)
/// ```
package final class SegmentWriter {
    private static let bufferSize = 256 << 10

    private let descriptor: Int32
    private let file: String
    private var hash = SHA256()
    private var pending: [UInt8] = []
    private var transactions: UInt64 = 0
    private var changes: UInt64 = 0

    /// Writes the header line, given without its newline.
    ///
    /// - Parameters:
    ///   - descriptor: The descriptor of the file.
    ///   - file: The file's name in errors.
    ///   - header: The header line.
    /// - Throws: ``SegmentError`` `inputOutput` when the system cannot write it.
    package init(descriptor: Int32, file: String, header: String) throws(SegmentError) {
        self.descriptor = descriptor
        self.file = file
        try write(Array(header.utf8) + [0x0A])
    }

    /// Appends a whole transaction: its line and those of its changes, each with a newline.
    ///
    /// - Throws: ``SegmentError`` `inputOutput` when the system cannot write it.
    package func append(lines: [UInt8], changes count: Int) throws(SegmentError) {
        try write(lines)
        transactions += 1
        changes += UInt64(count)
    }

    /// Writes the end line and returns it; the file is not synced yet.
    ///
    /// - Throws: ``SegmentError`` `inputOutput` when the system cannot write it.
    package func finish(last: UInt64) throws(SegmentError) -> SegmentEnd {
        try flush()
        let end = SegmentEnd(
            last: last,
            transactions: transactions,
            changes: changes,
            sha256: hash.finalize().hexadecimal
        )
        pending = Array(end.line.utf8) + [0x0A]
        try flush(hashed: false)
        return end
    }

    private func write(_ bytes: [UInt8]) throws(SegmentError) {
        pending.append(contentsOf: bytes)
        if pending.count >= SegmentWriter.bufferSize { try flush() }
    }

    private func flush(hashed: Bool = true) throws(SegmentError) {
        if hashed { hash.update(data: pending) }
        var failure: Int32 = 0
        pending.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty, failure == 0 {
                let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count >= 0 { rest = rest.dropFirst(count) } else if errno != EINTR { failure = errno }
            }
        }
        guard failure == 0 else { throw SegmentError.system(failure, file: file, doing: "write") }
        pending.removeAll(keepingCapacity: true)
    }
}
