extension PropertyValue {
    /// The JSON form of the value in the log, which does not depend on the attribute.
    package var json: JSONValue {
        switch self {
        case .null: .null
        case .integer(let value): .integer(value)
        case .double(let value): value.isFinite ? .double(value) : .null
        case .date(let value): value.json
        case .boolean(let value): .boolean(value)
        case .string(let text), .decimal(let text), .uri(let text): .string(text)
        case .uuid(let id), .reference(let id): .string(id.description)
        case .binary(let bytes): .string(Base64.encode(bytes))
        case .blob(let sha256, let size):
            .object([
                JSONMember(key: "blob", value: .string(sha256)), JSONMember(key: "size", value: .integer(size)),
            ])
        // `Attribute.value(from:)` wrote the text; any other text is passed on as a string.
        case .composite(let text): JSONValue(text: text) ?? .string(text)
        }
    }
}
