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
        sha256: String? = nil
    ) -> [UInt8] {
        let body = body
        return body + endLine(of: body, end: end, transactions: transactions, changes: changes, sha256: sha256)
    }

    /// The end line for `body`, with its newline.
    package func endLine(
        of body: [UInt8],
        end: UInt64? = nil,
        transactions: Int? = nil,
        changes: Int? = nil,
        sha256: String? = nil
    ) -> [UInt8] {
        let counted = lines.count { $0.hasPrefix("{\"transaction\"") }
        let line = SegmentEnd(
            last: end ?? name.last,
            transactions: UInt64(transactions ?? counted),
            changes: UInt64(changes ?? lines.count - 1 - counted),
            sha256: sha256 ?? SegmentText.hash(body)
        ).line
        return Array(line.utf8) + [0x0A]
    }

    package static func hash(_ bytes: [UInt8]) -> String {
        SegmentEnd.sha256(of: bytes)
    }
}
