import TributaryChanges

/// The end line of a segment and its offset, read without the rest of the file: enough to recognize an applied segment.
package struct SegmentTail: Hashable, Sendable {
    /// The greatest length of an end line, which has four short members.
    private static let longestLine: UInt64 = 64 << 10

    package let end: SegmentEnd
    package let offset: UInt64
    package let fileSize: UInt64

    /// Reads the end line.
    ///
    /// - Throws: ``SegmentError`` `incomplete` when the file does not end with a valid end line.
    package static func read(_ source: some SegmentBytes) throws(SegmentError) -> SegmentTail {
        let size = try source.size()
        guard size > 0 else { throw SegmentError(.incomplete, file: source.file, reason: "the file is empty") }
        // The line has about 150 bytes, so a short read is tried first.
        for length in [min(size, 1024), min(size, longestLine)] {
            let bytes = try source.bytes(in: (size - length)..<size)
            guard bytes.last == 0x0A else {
                throw SegmentError(.incomplete, file: source.file, reason: "the last line is not ended")
            }
            let start: Int
            if let newline = bytes.dropLast().lastIndex(of: 0x0A) {
                start = newline + 1
            } else if length == size {
                start = 0
            } else {
                continue
            }
            let line = bytes[start..<(bytes.count - 1)]
            switch line.withUnsafeBufferPointer({ parse($0) }) {
            case .success(let end):
                return SegmentTail(end: end, offset: size - UInt64(bytes.count - start), fileSize: size)
            case .failure(let error):
                throw SegmentError(
                    .incomplete,
                    file: source.file,
                    reason: "the last line is no end line: \(error.reason)"
                )
            }
        }
        throw SegmentError(.incomplete, file: source.file, reason: "the last line is too long for an end line")
    }

    /// Compares the hash of the bytes before the end line with the one in it, then reports a fault in their lines.
    ///
    /// The hash distinguishes a damaged copy from bytes that the writer wrote and that are not valid.
    func check(
        _ hash: String,
        fault: SegmentError?,
        file: String,
        writer: UniqueID? = nil
    ) throws(SegmentError) {
        guard hash == end.sha256 else {
            let firstFault = fault.map { "; the first fault: \($0.reason)" } ?? ""
            throw SegmentError(
                .damaged,
                file: file,
                line: fault?.line,
                writer: writer,
                sequence: fault?.sequence,
                reason: "the hash of the bytes is not the one in the end line\(firstFault)"
            )
        }
        if let fault { throw fault }
    }

    private static func parse(_ line: UnsafeBufferPointer<UInt8>) -> Result<SegmentEnd, JSONError> {
        Result { () throws(JSONError) in try SegmentEnd(line: line) }
    }
}

package struct SegmentEnd: Hashable, Sendable {
    package var last: UInt64
    package var transactions: UInt64
    package var changes: UInt64
    /// The lower-case hexadecimal SHA-256 of all bytes before this line.
    package var sha256: String

    package init(last: UInt64, transactions: UInt64, changes: UInt64, sha256: String) {
        self.last = last
        self.transactions = transactions
        self.changes = changes
        self.sha256 = sha256
    }

    package static func sha256(of bytes: [UInt8]) -> String { SHA256.hash(data: bytes).hexadecimal }

    package var line: String {
        "{\"end\":\(last),\"transactions\":\(transactions),\"changes\":\(changes),\"sha256\":\"\(sha256)\"}"
    }
}

extension SegmentEnd {
    init(line: UnsafeBufferPointer<UInt8>) throws(JSONError) {
        let fields = try LineFields(line)
        let last = try fields.count("end")
        guard let hash = try fields.optionalHash("sha256") else {
            throw JSONError("the key 'sha256' is missing")
        }
        self.init(
            last: last,
            transactions: try fields.count("transactions"),
            changes: try fields.count("changes"),
            sha256: hash
        )
    }
}

package enum SegmentHead {
    package static func read(_ source: some SegmentBytes) throws(SegmentError) -> SegmentHeader {
        let reader = SegmentLineReader(source, bounds: 0..<(try source.size()))
        guard let line = try reader.next() else {
            throw SegmentError(.incomplete, file: source.file, reason: "the file is empty")
        }
        return try reader.parse { () throws(JSONError) in try SegmentHeader(line: line) }
    }
}
