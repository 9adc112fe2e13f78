package import TributaryChanges

/// An insert may have no `id`, or `identity` in its place: the names of the properties that identify the object.
package struct ParsedChange: Hashable, Sendable {
    package enum Verb: String, Sendable, CaseIterable { case insert, update, delete, link, unlink }

    package var verb: Verb
    package var entity: String
    package var id: UniqueID?
    package var writes: [PropertyWrite] = []
    package var relationship: String?
    package var ids: [UniqueID] = []
    package var positions: [String]?
    package var ifVersion: JSONValue?
    package var identity: [String] = []

    private static let identityLimit = 16

    package init(
        _ verb: Verb,
        _ change: Change,
        writes: [PropertyWrite] = [],
        relationship: String? = nil,
        ids: [UniqueID] = [],
        positions: [String]? = nil
    ) {
        self.verb = verb
        entity = change.entity
        id = change.id
        self.writes = writes
        self.relationship = relationship
        self.ids = ids
        self.positions = positions
    }

    package init(_ value: JSONValue) throws(JSONError) {
        guard case .object = value else { throw JSONError("a change is an object, this is \(value.kind)") }
        let verbs = Verb.allCases.filter { value[$0.rawValue] != nil }
        guard let verb = verbs.first, verbs.count == 1 else {
            throw JSONError("exactly one of insert, update, delete, link, unlink must be there")
        }
        self.verb = verb
        entity = try ParsedChange.string(value, verb.rawValue)
        id = value["id"] == nil ? nil : try ParsedChange.uniqueID(value["id"], "id")
        ifVersion = value["ifVersion"]
        switch value["values"] {
        case nil: break
        case .object(let members): writes = members.map { PropertyWrite(name: $0.key, value: $0.value) }
        case let other?: throw JSONError("'values' is \(other.kind), not an object")
        }
        if verb == .insert, id == nil, let names = value["identity"] { identity = try ParsedChange.identity(names) }
        guard id != nil || verb == .insert else { throw JSONError("the key 'id' is missing") }
        guard verb == .link || verb == .unlink else { return }
        relationship = try ParsedChange.string(value, "to")
        guard case .array(let elements)? = value["ids"] else { throw JSONError("'ids' must be an array of UUIDs") }
        for element in elements { ids.append(try ParsedChange.uniqueID(element, "ids")) }
        guard verb == .link else { return }
        positions = try ParsedChange.positions(value["positions"], count: ids.count)
    }

    private static func identity(_ value: JSONValue) throws(JSONError) -> [String] {
        guard case .array(let elements) = value, (1...identityLimit).contains(elements.count) else {
            throw JSONError("'identity' must be an array with the names of 1 to \(identityLimit) properties")
        }
        var names: [String] = []
        for case .string(let name) in elements where !names.contains(name) { names.append(name) }
        guard names.count == elements.count else {
            throw JSONError("'identity' must have the names of properties, each once")
        }
        return names
    }

    package func change(newID: @autoclosure () -> UniqueID) -> Change {
        let operation: Change.Operation =
            switch verb {
            case .insert: .insert(writes)
            case .update: .update(writes)
            case .delete: .delete
            case .link: .link(to: relationship ?? "", ids: ids, positions: positions)
            case .unlink: .unlink(to: relationship ?? "", ids: ids)
            }
        return Change(entity: entity, id: id ?? newID(), operation: operation)
    }

    private static func string(_ value: JSONValue, _ key: String) throws(JSONError) -> String {
        guard case .string(let text)? = value[key] else {
            throw JSONError(value[key] == nil ? "the key '\(key)' is missing" : "'\(key)' is not a string")
        }
        return text
    }

    private static func uniqueID(_ value: JSONValue?, _ key: String) throws(JSONError) -> UniqueID {
        guard case .string(let text)? = value, let id = UniqueID(text) else {
            throw JSONError("'\(key)' has \((value ?? .null).text.prefix(80)), which is not a UUID")
        }
        return id
    }

    private static func positions(_ value: JSONValue?, count: Int) throws(JSONError) -> [String]? {
        switch value {
        case nil, .null: return nil
        case .array(let elements):
            var positions: [String] = []
            for case .string(let position) in elements { positions.append(position) }
            guard positions.count == elements.count, positions.count == count else {
                throw JSONError("'positions' must have a string for each of the \(count) IDs")
            }
            return positions
        case let other?: throw JSONError("'positions' is \(other.kind), not an array")
        }
    }
}
