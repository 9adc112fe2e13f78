package import TributaryChanges

/// The kind of a value; only values of one kind compare.
package enum ValueKind: Int32, Sendable, CaseIterable {
    case number = 0, decimal, boolean, string, date, uuid, reference
    /// Values that compare with NULL only.
    case opaque
}

extension PropertyValue {
    package var kind: ValueKind {
        switch self {
        case .integer, .double: .number
        case .boolean: .boolean
        case .string, .uri: .string
        case .date: .date
        case .decimal: .decimal
        case .uuid: .uuid
        case .reference: .reference
        case .null, .binary, .blob, .composite: .opaque
        }
    }
}

extension AttributeType {
    package var kind: ValueKind {
        switch self {
        case .integer16, .integer32, .integer64, .double, .float: .number
        case .decimal: .decimal
        case .boolean: .boolean
        case .string, .uri: .string
        case .date: .date
        case .uuid: .uuid
        case .binary, .transformable, .composite, .undefined: .opaque
        }
    }
}
