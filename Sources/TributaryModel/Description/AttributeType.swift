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
