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
        guard case .composite(let text) = composite, var json = JSONValue(text: text) else { return .null }
        for name in names {
            guard let next = json[name] else { return .null }
            json = next
        }
        return (type == .composite ? value(from: json) : type.scalarValue(from: json)) ?? .null
    }
}
