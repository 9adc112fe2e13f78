package import TributaryChanges

/// The end line of a segment and its offset; it identifies an applied segment, and the file is not read.
package struct SegmentTail: Hashable, Sendable {
    private static let longestLine: UInt64 = 64 << 10

    package let end: SegmentEnd
    package let offset: UInt64
    package let fileSize: UInt64

    package static func read(_ source: some SegmentBytes) throws(SegmentError) -> SegmentTail {
        let size = try source.size()
        guard size > 0 else { throw SegmentError(.incomplete, file: source.file, reason: "the file is empty") }
        // The line has about 150 bytes, so a short read is tried first.
        for length in [min(size, 1024), min(size, longestLine)] {
            let bytes = try source.bytes(in: (size - length)..<size)
            guard bytes.last == 0x0A else {
                throw SegmentError(.incomplete, file: source.file, reason: "the last line has no newline at its end")
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
            do throws(JSONError) {
                let end = try line.withUnsafeBufferPointer { line throws(JSONError) in try SegmentEnd(line: line) }
                return SegmentTail(end: end, offset: size - UInt64(bytes.count - start), fileSize: size)
            } catch {
                let reason = "the last line is not an end line: \(error.reason)"
                throw SegmentError(.incomplete, file: source.file, reason: reason)
            }
        }
        throw SegmentError(.incomplete, file: source.file, reason: "the last line is too long for an end line")
    }

    /// The hash tells a damaged copy from an invalid segment, so it is compared even after an invalid line.
    func verify(
        _ source: some SegmentBytes,
        of writer: UniqueID? = nil,
        _ read: (SegmentLineReader) throws(SegmentError) -> Void
    ) throws(SegmentError) {
        let reader = SegmentLineReader(source, bounds: 0..<offset)
        var fault: SegmentError?
        do throws(SegmentError) {
            try read(reader)
        } catch {
            guard error.kind == .rejected else { throw error.with(writer: writer) }
            fault = error.with(writer: writer)
        }
        let hash = try reader.finish().hexadecimal
        guard hash == end.sha256 else {
            let firstFault = fault.map { "; the first fault: \($0.reason)" } ?? ""
            throw SegmentError(
                .damaged,
                file: source.file,
                line: fault?.line,
                writer: writer,
                sequence: fault?.sequence,
                reason: "the hash of the bytes differs from the hash in the end line\(firstFault)"
            )
        }
        if let fault { throw fault }
    }
}

package struct SegmentEnd: Hashable, Sendable {
    package var last: UInt64
    package var transactions: UInt64
    package var changes: UInt64
    /// The lower-case hexadecimal SHA-256 of all bytes before this line.
    package var sha256: String
    /// Signs ``SignedText``; nil also for a signature of another form, which old readers ignore as well.
    package var signature: Signature?

    package init(last: UInt64, transactions: UInt64, changes: UInt64, sha256: String, signature: Signature? = nil) {
        self.last = last
        self.transactions = transactions
        self.changes = changes
        self.sha256 = sha256
        self.signature = signature
    }

    package static func sha256(of bytes: [UInt8]) -> String { SHA256.hash(data: bytes).hexadecimal }

    package var line: String {
        let signed = signature.map { ",\"key\":\"\($0.key)\",\"signature\":\"\($0.value)\"" } ?? ""
        return
            "{\"end\":\(last),\"transactions\":\(transactions),\"changes\":\(changes),\"sha256\":\"\(sha256)\"\(signed)}"
    }
}

extension SegmentEnd {
    init(line: UnsafeBufferPointer<UInt8>) throws(JSONError) {
        let fields = try LineFields(line)
        let (last, hash) = (try fields.count("end"), try fields.hash("sha256"))
        self.init(
            last: last,
            transactions: try fields.count("transactions"),
            changes: try fields.count("changes"),
            sha256: hash,
            signature: fields.signature
        )
    }
}

/// The bytes that a signature signs; the path binds the content to its name, so that no file can replace another file.
package enum SignedText {
    /// `sha256` is the hash in the end line, for a comparison the hash of its line without the signature.
    package static func of(_ path: String, _ sha256: String) -> [UInt8] {
        Array("tributary-signature-1\n\(path)\n\(sha256)\n".utf8)
    }
}
