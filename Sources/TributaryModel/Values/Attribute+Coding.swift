package import TributaryChanges

extension Attribute {
    /// Returns the value of `json` in this attribute; nil when the model cannot represent it, in which case the store
    /// defers the write.
    package func value(from json: JSONValue) -> PropertyValue? {
        guard type == .composite else { return type.scalarValue(from: json) }
        switch json {
        case .null: return .null
        case .object:
            guard let canonical = compositeObject(from: json) else { return nil }
            return .composite(canonical.text)
        default: return nil
        }
    }

    package func json(for value: PropertyValue) -> JSONValue { value.json }

    /// Returns the members sorted by key, each in its canonical form, without nulls; nil when a member is unknown or
    /// does not fit, or a key repeats.
    private func compositeObject(from json: JSONValue) -> JSONValue? {
        guard case .object(let members) = json else { return nil }
        var canonical: [JSONMember] = []
        for member in members.sorted(by: { $0.key.precedesByBytes($1.key) }) {
            guard let attribute = compositeAttributes.first(where: { $0.name == member.key }),
                canonical.last?.key != member.key
            else { return nil }
            if case .null = member.value { continue }
            if attribute.type == .composite {
                guard let object = attribute.compositeObject(from: member.value) else { return nil }
                canonical.append(JSONMember(key: member.key, value: object))
            } else {
                guard let value = attribute.type.scalarValue(from: member.value) else { return nil }
                canonical.append(JSONMember(key: member.key, value: value.json))
            }
        }
        return .object(canonical)
    }
}
