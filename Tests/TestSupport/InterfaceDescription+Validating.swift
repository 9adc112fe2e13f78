package import TributaryChanges

extension InterfaceDescription {
    /// Returns a sentence for each violation of a schema: missing members, wrong types, and members that the schema
    /// does not name.
    package func violations(of value: JSONValue, by schema: JSONValue, at place: String = "$") -> [String] {
        let schema = resolved(schema)
        let choices = elements(schema["oneOf"])
        if !choices.isEmpty {
            let fitting = choices.filter { violations(of: value, by: $0, at: place).isEmpty }
            return fitting.count == 1 ? [] : ["\(place) fits \(fitting.count) of \(choices.count) schemas"]
        }
        let types = elements(schema["type"]) + [schema["type"]].compactMap { $0 }.filter { $0.string != nil }
        let kind = InterfaceDescription.type(of: value)
        guard types.isEmpty || types.contains(.string(kind)) || (kind == "integer" && types.contains(.string("number")))
        else { return ["\(place) is \(kind), not \(schema["type"]?.text ?? "")"] }
        let allowed = elements(schema["enum"])
        if !allowed.isEmpty, !allowed.contains(value) { return ["\(place) is \(value.text), which is not listed"] }
        switch value {
        case .string(let text):
            let isUUID = schema["format"] == .string("uuid")
            return isUUID && UniqueID(text) == nil ? ["\(place) is '\(text)', no UUID"] : []
        case .array(let values):
            guard let items = schema["items"] else { return [] }
            return values.enumerated().flatMap { violations(of: $1, by: items, at: "\(place)[\($0)]") }
        case .object(let found): return violations(of: found, by: schema, at: place)
        default: return []
        }
    }

    private func violations(of found: [JSONMember], by schema: JSONValue, at place: String) -> [String] {
        let known = members(schema["properties"])
        let names = Set(found.map(\.key))
        var result = elements(schema["required"]).compactMap(\.string).filter { !names.contains($0) }
            .map { "\(place).\($0) is missing" }
        for member in found {
            if let property = known.first(where: { $0.key == member.key }) {
                result += violations(of: member.value, by: property.value, at: "\(place).\(member.key)")
            } else if case .object? = schema["additionalProperties"], let other = schema["additionalProperties"] {
                result += violations(of: member.value, by: other, at: "\(place).\(member.key)")
            } else {
                result.append("\(place).\(member.key) is not described")
            }
        }
        return result
    }

    private static func type(of value: JSONValue) -> String {
        switch value {
        case .null: "null"
        case .boolean: "boolean"
        case .integer: "integer"
        case .double, .number, .unrepresentable: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }
}
