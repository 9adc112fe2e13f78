import TransactionLog
import TributaryChanges
import TributaryModel

struct ModelFindings {
    private static let kept = 1000

    private(set) var findings: [(line: Int, fault: ChangeChecker.Fault)] = []
    private(set) var count = 0
    private var line = 1

    /// A strict check also reports content that readers accept but writers must not write.
    init(_ source: OpenFile, _ segment: VerifiedSegment, checker: ChangeChecker, isStrict: Bool) throws(SegmentError) {
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
        if findings.count < ModelFindings.kept { findings.append((line, fault)) }
    }

    var members: [JSONMember] {
        let list = findings.map { line, fault -> JSONValue in
            .members([
                "line": .count(line), "entity": fault.entity.isEmpty ? nil : .string(fault.entity),
                "id": fault.object.map { .string($0.description) }, "property": fault.property.map(JSONValue.string),
                "value": fault.value, "rule": .string(fault.reason),
            ])
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

struct StrictCheck {
    let checker: ChangeChecker

    func faults(in line: JSONValue) -> [ChangeChecker.Fault] {
        let verb = ParsedChange.Verb.allCases.first { line[$0.rawValue] != nil }
        let name = verb.flatMap { line[$0.rawValue] }.flatMap(Self.string) ?? ""
        let entity = checker.entity(named: name)
        let id = line["id"].flatMap(Self.string).flatMap { UniqueID($0.lowercased()) }
        func fault(_ reason: String, property: String? = nil) -> ChangeChecker.Fault {
            ChangeChecker.Fault(entity: name, object: id, property: property, reason: reason)
        }
        var result = upperCase(in: line).map { fault("\($0) is not in lower case") }
        if case .object(let values)? = line["values"] {
            for member in values {
                let property = entity.flatMap { $0.property(named: checker.propertyName(member.key, of: $0)) }
                let isID = property?.relationship != nil
                for (path, text) in upperCase(in: member.value, at: member.key, property?.attribute, isID: isID) {
                    result.append(fault("'\(path)': \(text) is not in lower case", property: member.key))
                }
            }
        }
        if verb == .link || verb == .unlink, let written = line["to"].flatMap(Self.string), let entity,
            let relationship = relationship(written, of: entity), relationship.isToMany,
            let destination = checker.model.entity(named: relationship.destination),
            let inverse = relationship.inverse.flatMap({ destination.property(named: $0)?.relationship }),
            !inverse.isToMany
        {
            let side = "'\(destination.name).\(inverse.name)'"
            result.append(
                fault("'\(name).\(written)' is written on its inverse, as a value of \(side)", property: written)
            )
        }
        return result
    }

    private func relationship(_ name: String, of entity: Entity) -> Relationship? {
        entity.property(named: checker.propertyName(name, of: entity))?.relationship
    }

    private func upperCase(in line: JSONValue) -> [String] {
        var texts = ["writer", "previous", "id", "sha256"].compactMap { line[$0].flatMap(Self.string) }
        if case .array(let ids)? = line["ids"] { texts += ids.compactMap(Self.string) }
        if case .object(let seen)? = line["seen"] { texts += seen.map(\.key) }
        return texts.filter { $0 != $0.lowercased() }
    }

    private func upperCase(
        in value: JSONValue,
        at path: String,
        _ attribute: Attribute?,
        isID: Bool
    ) -> [(path: String, text: String)] {
        if attribute?.type == .composite, case .object(let members) = value {
            return members.flatMap { member in
                let part = attribute?.compositeAttributes.first { $0.name == member.key }
                return upperCase(in: member.value, at: "\(path).\(member.key)", part, isID: false)
            }
        }
        let text = isID || attribute?.type == .uuid ? Self.string(value) : value["blob"].flatMap(Self.string)
        return [text].compactMap(\.self).filter { $0 != $0.lowercased() }.map { (path, $0) }
    }

    private static func string(_ value: JSONValue) -> String? {
        guard case .string(let text) = value else { return nil }
        return text
    }
}
