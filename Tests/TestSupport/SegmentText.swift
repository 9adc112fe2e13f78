import Synchronization
package import TransactionLog
package import TributaryChanges

/// A segment that is built line by line, valid or deliberately invalid.
package struct SegmentText: Sendable {
    package var lines: [String]
    package var name: SegmentName

    /// A segment of transactions `first` to `last` with the given lines between header and end.
    package init(writer: UniqueID, first: UInt64 = 1, last: UInt64, _ lines: [String], header: String? = nil) {
        name = SegmentName(writer: writer, first: first, last: last)
        self.lines = [header ?? SegmentHeader(writer: writer, first: first, last: last).line] + lines
    }

    /// A segment of whole transactions, written by this project's writer.
    package init(writer: UniqueID, _ transactions: [LogTransaction], previous: String? = nil, name: String? = nil) {
        let first = transactions.first?.header.sequence ?? 1
        let last = transactions.last?.header.sequence ?? 1
        let lines = transactions.flatMap {
            String(decoding: $0.lines, as: UTF8.self).split(separator: "\n").map(String.init)
        }
        let header = SegmentHeader(writer: writer, name: name, first: first, last: last, previous: previous)
        self.init(writer: writer, first: first, last: last, lines, header: header.line)
    }

    /// The hash in the end line.
    package var sha256: String { SegmentText.hash(body) }

    package var body: [UInt8] { lines.flatMap { Array($0.utf8) + [0x0A] } }

    /// The whole file.
    ///
    /// The header and the end line count the values that are not given.
    package func bytes(
        end: UInt64? = nil,
        transactions: Int? = nil,
        changes: Int? = nil,
        sha256: String? = nil,
        signedBy key: SigningKey? = nil
    ) -> [UInt8] {
        let body = body
        let signature = key?.sign(SignedText.of(name.path, sha256 ?? SegmentText.hash(body)))
        return body
            + endLine(
                of: body,
                end: end,
                transactions: transactions,
                changes: changes,
                sha256: sha256,
                signature: signature
            )
    }

    /// The end line for `body`, with its newline.
    package func endLine(
        of body: [UInt8],
        end: UInt64? = nil,
        transactions: Int? = nil,
        changes: Int? = nil,
        sha256: String? = nil,
        signature: Signature? = nil
    ) -> [UInt8] {
        let counted = lines.count { $0.hasPrefix("{\"transaction\"") }
        let line = SegmentEnd(
            last: end ?? name.last,
            transactions: UInt64(transactions ?? counted),
            changes: UInt64(changes ?? lines.count - 1 - counted),
            sha256: sha256 ?? SegmentText.hash(body),
            signature: signature
        ).line
        return Array(line.utf8) + [0x0A]
    }

    package static func hash(_ bytes: [UInt8]) -> String {
        SegmentEnd.sha256(of: bytes)
    }
}

extension SegmentText {
    package func transactions() throws -> [LogTransaction] {
        let source = MemorySegment(bytes())
        return try SegmentText.transactions(of: try SegmentVerifier().verify(source, name: name), in: source)
    }

    package static func transactions(
        of segment: VerifiedSegment,
        in source: some SegmentBytes
    ) throws -> [LogTransaction] {
        let reader = SegmentReader(source, segment: segment)
        var found: [LogTransaction] = []
        while let batch = try reader.nextBatch(limit: 1000) {
            for event in batch.events {
                switch event {
                case .begin(let header): found.append(LogTransaction(header: header, changes: []))
                case .changes(let changes): found[found.count - 1].changes += changes
                case .rows(let run): found[found.count - 1].changes += run.changes
                case .end: break
                }
            }
        }
        return found
    }
}

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

/// Tests write times as Unix milliseconds.
extension WallTime: ExpressibleByIntegerLiteral {
    package init(integerLiteral milliseconds: UInt64) { self.init(milliseconds: milliseconds) }
}

extension SegmentText {
    /// The bytes of a baseline, with its end line.
    package static func baseline(_ lines: [String]) -> [UInt8] {
        let body = Array(lines.map { $0 + "\n" }.joined().utf8)
        let writers = lines.filter { $0.hasPrefix("{\"writer\"") }.count
        let transactions = lines.filter { $0.hasPrefix("{\"transaction\"") }.count
        let end = SegmentEnd(
            last: UInt64(writers),
            transactions: UInt64(transactions),
            changes: UInt64(lines.count - 1 - writers - transactions),
            sha256: SegmentEnd.sha256(of: body)
        )
        return body + Array(end.line.utf8) + [0x0A]
    }
}
