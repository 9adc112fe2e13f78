import TributaryChanges
import TributaryModel

extension Attribute {
    func accepts(_ value: PropertyValue) -> Bool { type.accepts(value) }

    /// Returns the value in the attribute's form, a composite as canonical text; nil when it does not fit.
    func settable(_ value: PropertyValue) -> PropertyValue? {
        guard accepts(value) else { return nil }
        guard type == .composite, case .composite(let text) = value else { return value }
        return JSONValue(text: text).flatMap { self.value(from: $0) }
    }
}

extension AttributeType {
    /// The number of bits of an integer type; nil for other types.
    var integerBits: Int? {
        switch self {
        case .integer16: 16
        case .integer32: 32
        case .integer64: 64
        default: nil
        }
    }

    /// Whether an attribute of the type accepts the value; a transient one without a type accepts any value.
    func accepts(_ value: PropertyValue) -> Bool {
        if case .undefined = self { true } else { holds(value) }
    }
}
