import TransactionLog
import TributaryChanges

/// The faults of a segment's changes against a model, with the line of each.
struct ModelFindings {
    struct Finding {
        var line: Int
        var fault: ChangeChecker.Fault
    }

    /// The number of faults that are kept; further ones are only counted.
    private static let kept = 1000

    private(set) var findings: [Finding] = []
    private(set) var count = 0
    private var line = 1

    /// Checks all changes of a verified segment; strictly, what readers take and writers must not write is a fault too.
    ///
    /// - Throws: ``SegmentError`` when the file cannot be read or was changed after it was verified.
    init(
        _ source: OpenFile,
        _ segment: VerifiedSegment,
        checker: ChangeChecker,
        isStrict: Bool
    ) throws(SegmentError) {
        let reader = SegmentReader(source, segment: segment)
        var mandatory = MandatoryCheck(checker: checker)
        while let batch = try reader.nextBatch(limit: 1000) {
            for event in batch.events {
                switch event {
                case .begin: line += 1
                case .changes(let changes):
                    for change in changes {
                        line += 1
                        for fault in checker.faults(in: ParsedChange(change)) { add(line, fault) }
                        mandatory.add(change, line: line)
                    }
                case .end: for (line, fault) in mandatory.finish() { add(line, fault) }
                case .rows: break
                }
            }
        }
        guard isStrict else { return }
        let lines = SegmentLineReader(source, bounds: 0..<segment.fileSize)
        let check = StrictCheck(checker: checker)
        while let text = try lines.next() {
            guard let json = try? JSONParser.parse(Array(text)) else { continue }
            for fault in check.faults(in: json) { add(lines.line, fault) }
        }
        findings.sort { $0.line < $1.line }
    }

    private mutating func add(_ line: Int, _ fault: ChangeChecker.Fault) {
        count += 1
        if findings.count < ModelFindings.kept { findings.append(Finding(line: line, fault: fault)) }
    }

    var members: [JSONMember] {
        let list = findings.map { finding -> JSONValue in
            var members = [
                JSONMember(key: "line", value: .integer(Int64(finding.line)))
            ]
            if !finding.fault.entity.isEmpty {
                members.append(JSONMember(key: "entity", value: .string(finding.fault.entity)))
            }
            if let id = finding.fault.object { members.append(JSONMember(key: "id", value: .string(id.description))) }
            if let property = finding.fault.property {
                members.append(JSONMember(key: "property", value: .string(property)))
            }
            if let value = finding.fault.value { members.append(JSONMember(key: "value", value: value)) }
            members.append(JSONMember(key: "rule", value: .string(finding.fault.reason)))
            return .object(members)
        }
        return [
            JSONMember(key: "misfits", value: .integer(Int64(count))), JSONMember(key: "values", value: .array(list)),
        ]
    }
}

extension ParsedChange {
    init(_ change: Change) {
        switch change.operation {
        case .insert(let writes): self.init(.insert, change, writes: writes)
        case .update(let writes): self.init(.update, change, writes: writes)
        case .delete: self.init(.delete, change)
        case .link(let name, let ids, let positions):
            self.init(.link, change, relationship: name, ids: ids, positions: positions)
        case .unlink(let name, let ids): self.init(.unlink, change, relationship: name, ids: ids)
        }
    }
}
