/// Kinds of values: those of one kind compare with each other.
package enum ValueKind: Sendable {
    case number, decimal, boolean, string, date, uuid, reference
    /// Comparable with NULL only.
    case opaque
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
