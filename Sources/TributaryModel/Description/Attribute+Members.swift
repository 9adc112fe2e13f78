package import TributaryChanges

extension Attribute {
    /// Returns the member at a path of names, the outermost name first; nil when there is none.
    package func member(at names: ArraySlice<String>) -> Attribute? {
        guard let name = names.first else { return nil }
        guard let member = compositeAttributes.first(where: { $0.name == name }) else { return nil }
        return names.count == 1 ? member : member.member(at: names.dropFirst())
    }

    /// Returns this attribute's value within the value of the composite around it; null when the composite has none.
    package func memberValue(of composite: PropertyValue, at names: [String]) -> PropertyValue {
        guard let json = Attribute.member(of: composite, at: names) else { return .null }
        return (type == .composite ? value(from: json) : type.scalarValue(from: json)) ?? .null
    }

    /// Returns the JSON value of the member at a path of names within a composite's value; nil when there is none.
    package static func member(of composite: PropertyValue, at names: [String]) -> JSONValue? {
        guard case .composite(let text) = composite, var json = JSONValue(text: text) else { return nil }
        for name in names {
            guard let next = json[name] else { return nil }
            json = next
        }
        return json
    }
}
