extension PropertyValue {
    /// For error messages.
    package var kindName: String {
        switch self {
        case .null: "null"
        case .integer(let value): "the integer \(value)"
        case .double(let value): "the number \(value)"
        case .boolean: "a boolean"
        case .string: "a string"
        case .date: "a date"
        case .decimal: "a decimal"
        case .uuid: "a UUID"
        case .uri: "a URI"
        case .binary, .blob: "a binary"
        case .composite: "a composite"
        case .reference: "an object"
        }
    }
}
