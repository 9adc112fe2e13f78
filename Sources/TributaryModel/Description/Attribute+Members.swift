package import TributaryChanges

/// Members of composite attributes.
extension Attribute {
    /// The member that the names lead to, from the outside in; nil when there is none.
    package func member(at names: ArraySlice<String>) -> Attribute? {
        guard let name = names.first else { return nil }
        guard let member = compositeAttributes.first(where: { $0.name == name }) else { return nil }
        return names.count == 1 ? member : member.member(at: names.dropFirst())
    }

    /// The value of this attribute in that of the composite around it; null where there is none.
    package func memberValue(of composite: PropertyValue, at names: [String]) -> PropertyValue {
        guard let json = Attribute.member(of: composite, at: names) else { return .null }
        return (type == .composite ? value(from: json) : type.scalarValue(from: json)) ?? .null
    }

    /// The member that the names lead to, as it stands in the value of a composite.
    package static func member(of composite: PropertyValue, at names: [String]) -> JSONValue? {
        guard case .composite(let text) = composite, var json = JSONValue(text: text) else { return nil }
        for name in names {
            guard let next = json[name] else { return nil }
            json = next
        }
        return json
    }
}
