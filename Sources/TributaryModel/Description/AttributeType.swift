package import TributaryChanges

/// The type of an attribute, with the names of Core Data's model editor.
public enum AttributeType: String, Sendable, CaseIterable {
    case string = "String"
    case integer16 = "Integer 16"
    case integer32 = "Integer 32"
    case integer64 = "Integer 64"
    case boolean = "Boolean"
    case date = "Date"
    case binary = "Binary"
    case transformable = "Transformable"
    case double = "Double"
    case float = "Float"
    case decimal = "Decimal"
    case uuid = "UUID"
    case uri = "URI"
    case composite = "Composite"
    /// No type; allowed for transient attributes only, which are never stored.
    case undefined = "Undefined"
}

extension Attribute {
    package var swiftName: String { mergeRule == .counter && type.isInteger ? "Int" : valueType.swiftName }
}

extension AttributeType {
    /// Whether the type is Integer 16, 32 or 64.
    public var isInteger: Bool { integerRange != nil }

    package var integerRange: ClosedRange<Int64>? {
        switch self {
        case .integer16: Int64(Int16.min)...Int64(Int16.max)
        case .integer32: Int64(Int32.min)...Int64(Int32.max)
        case .integer64: Int64.min...Int64.max
        default: nil
        }
    }

    package var swiftName: String {
        switch self {
        case .string: "String"
        case .integer16: "Int16"
        case .integer32: "Int32"
        case .integer64: "Int64"
        case .boolean: "Bool"
        case .date: "Date"
        case .binary, .transformable: "Data"
        case .double: "Double"
        case .float: "Float"
        case .decimal: "Decimal"
        case .uuid: "UUID"
        case .uri: "URL"
        case .composite, .undefined: "PropertyValue"
        }
    }

    /// Whether the type can hold the value without conversion; every type holds null.
    package func holds(_ value: PropertyValue) -> Bool {
        switch value {
        case .null: true
        case .integer(let value): integerRange?.contains(value) ?? false
        // The shortest text of the largest Float, 3.4028235e38, denotes a slightly larger Double.
        case .double(let value): value.isFinite && (self == .double || (self == .float && Float(value).isFinite))
        case .boolean: self == .boolean
        case .string: self == .string
        case .date(let value): self == .date && value.secondsSinceReferenceDate.isFinite
        case .decimal(let text): self == .decimal && DecimalText.canonical(text) == text
        case .uuid: self == .uuid
        case .uri: self == .uri
        case .binary, .blob: self == .binary || self == .transformable
        case .composite: self == .composite
        case .reference: false
        }
    }
}
