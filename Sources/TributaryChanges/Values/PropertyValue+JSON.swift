extension PropertyValue {
    /// The value as the log writes it: the form depends on the value alone.
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
        // The text was written by `Attribute.value(from:)`; what was not is passed on as the string that it is.
        case .composite(let text): JSONValue(text: text) ?? .string(text)
        }
    }
}
