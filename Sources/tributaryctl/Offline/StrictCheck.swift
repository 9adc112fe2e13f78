import TransactionLog
import TributaryChanges
import TributaryModel

/// Finds in a line what a reader must take and a writer must not write.
struct StrictCheck {
    let checker: ChangeChecker

    /// Returns the faults of a valid line.
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

    /// Returns the UUIDs and hashes of the format's own members that are not in lower case.
    private func upperCase(in line: JSONValue) -> [String] {
        var texts = ["writer", "previous", "id", "sha256"].compactMap { line[$0].flatMap(Self.string) }
        if case .array(let ids)? = line["ids"] { texts += ids.compactMap(Self.string) }
        if case .object(let seen)? = line["seen"] { texts += seen.map(\.key) }
        return texts.filter { $0 != $0.lowercased() }
    }

    /// Returns the UUIDs and the hashes of a value that are not in lower case, each with its path; texts of other types are
    /// as they are.
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
