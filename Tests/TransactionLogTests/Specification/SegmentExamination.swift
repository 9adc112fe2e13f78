import TestSupport
import TransactionLog
import TributaryChanges

/// The result of this project's reader for a file, in the terms of the specification.
enum SegmentExamination: Hashable {
    /// A valid segment, with its content and its normal form.
    case valid(content: JSONValue, normal: [UInt8])
    /// Another state, with the line at fault of a rejected segment.
    case refused(state: String, line: Int?, reason: String)

    /// Examines bytes as the file at `path`, whose last components are the writer's folder and the file's name.
    init(_ bytes: [UInt8], path: String) throws {
        guard let name = SegmentName(path: path) else {
            self = .refused(state: "misnamed", line: nil, reason: "")
            return
        }
        let source = MemorySegment(bytes)
        let segment: VerifiedSegment
        do throws(SegmentError) {
            segment = try SegmentVerifier().verify(source, name: name)
        } catch {
            let line = error.kind == .rejected ? error.line : nil
            self = .refused(state: error.state, line: line, reason: error.reason)
            return
        }
        let transactions = try SegmentText.transactions(of: segment, in: source)
        let body = Array(segment.header.line.utf8) + [0x0A] + transactions.flatMap(\.lines)
        let end = SegmentEnd(
            last: segment.end.last,
            transactions: segment.end.transactions,
            changes: segment.end.changes,
            sha256: SegmentEnd.sha256(of: body)
        )
        self = .valid(
            content: try SegmentExamination.content(segment, transactions),
            normal: body + Array(end.line.utf8) + [0x0A]
        )
    }

    private static func content(_ segment: VerifiedSegment, _ transactions: [LogTransaction]) throws -> JSONValue {
        let list = try transactions.map { transaction in
            let lines = try transaction.lines.split(separator: 0x0A).map { try JSONParser.parse(Array($0)) }
            return JSONValue.object([
                JSONMember(key: "begin", value: lines[0]),
                JSONMember(key: "changes", value: .array(Array(lines.dropFirst()))),
            ])
        }
        return .object([
            JSONMember(key: "header", value: try JSONParser.parse(segment.header.line)),
            JSONMember(key: "transactions", value: .array(list)),
            JSONMember(key: "end", value: try JSONParser.parse(segment.end.line)),
        ])
    }
}
