import TransactionLog
import TributaryChanges

struct SegmentReport {
    let path: String
    let file: OpenFile?
    let segment: VerifiedSegment?
    let error: SegmentError?
    /// Whether the file name has a writer and a range, so that they were compared with the header.
    let isNameChecked: Bool

    /// Verifies a file; one outside its writer's folder, such as a copy, against its own header.
    init(path: String) {
        self.path = path
        isNameChecked = SegmentName(path: path) != nil
        var opened: OpenFile?
        do throws(SegmentError) {
            let file = try OpenFile.open(path: path)
            opened = file
            var name = SegmentName(path: path)
            if name == nil { name = try SegmentReport.nameInHeader(of: file) }
            segment = try name.map { name throws(SegmentError) in try SegmentVerifier().verify(file, name: name) }
            error = nil
        } catch {
            segment = nil
            self.error = error
        }
        file = opened
    }

    private static func nameInHeader(of file: OpenFile) throws(SegmentError) -> SegmentName {
        _ = try SegmentTail.read(file)
        return try SegmentHead.read(file).segmentName
    }

    /// The state in the vocabulary of the admin interface, or "valid".
    var state: String {
        guard let error else { return "valid" }
        switch error.kind {
        case .missing: return "missing"
        case .inputOutput: return "unreadable"
        default: return error.state.rawValue
        }
    }

    var members: [JSONMember] {
        var members = [
            JSONMember(key: "file", value: .string(path)), JSONMember(key: "state", value: .string(state)),
        ]
        func add(_ key: String, _ value: JSONValue?) {
            if let value { members.append(JSONMember(key: key, value: value)) }
        }
        if let segment {
            add("writer", .string(segment.name.writer.description))
            add("first", .string(hexadecimal16(segment.name.first)))
            add("last", .string(hexadecimal16(segment.name.last)))
            add("transactions", .integer(Int64(clamping: segment.end.transactions)))
            add("changes", .integer(Int64(clamping: segment.end.changes)))
            add("bytes", .integer(Int64(clamping: segment.fileSize)))
            add("sha256", .string(segment.end.sha256))
            add("nameChecked", .boolean(isNameChecked))
        }
        if let error {
            add("writer", error.writer.map { .string($0.description) })
            add("sequence", error.sequence.map { .integer(Int64(clamping: $0)) })
            add("line", error.line.map { .integer(Int64($0)) })
            add("reason", .string(error.reason))
            add("hint", .string(error.hint))
        }
        return members
    }
}
