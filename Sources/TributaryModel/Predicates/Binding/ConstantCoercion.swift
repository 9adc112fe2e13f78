import TributaryChanges

enum ConstantCoercion {
    static func coerce(
        _ value: PropertyValue,
        to kind: ValueKind,
        beside text: String
    ) throws(ObjectPredicateError) -> PropertyValue {
        guard let result = coerced(value, to: kind) else {
            throw ObjectPredicateError("\(value.words) does not compare with '\(text)', \(kind.words)", keyPath: text)
        }
        return result
    }

    private static func coerced(_ value: PropertyValue, to kind: ValueKind) -> PropertyValue? {
        switch (kind, value) {
        case (.number, .integer), (.number, .double), (.boolean, .boolean), (.date, .date), (.uuid, .uuid),
            (.reference, .reference):
            value
        case (.number, .decimal(let text)):
            Int64(text).map(PropertyValue.integer) ?? Double(text).map(PropertyValue.double)
        case (.decimal, .decimal(let text)), (.decimal, .string(let text)):
            DecimalText.canonical(text).map(PropertyValue.decimal)
        case (.decimal, .integer(let number)): .decimal(String(number))
        case (.decimal, .double(let number)): DecimalText.canonical(number.description).map(PropertyValue.decimal)
        case (.boolean, .integer(0)): .boolean(false)
        case (.boolean, .integer(1)): .boolean(true)
        case (.string, .string(let text)), (.string, .uri(let text)): .string(text)
        case (.date, .integer(let number)): .date(DateValue(unixSeconds: number))
        case (.date, .double(let number)): .date(DateValue(unixSeconds: number))
        case (.date, .decimal(let text)): DateValue(unixText: text).map(PropertyValue.date)
        case (.date, .string(let text)): DateText.unixSeconds(text).map { .date(DateValue(unixSeconds: $0)) }
        case (.uuid, .string(let text)): UniqueID(text).map(PropertyValue.uuid)
        case (.uuid, .reference(let id)): .uuid(id)
        case (.reference, .uuid(let id)): .reference(id)
        case (.reference, .string(let text)):
            (UniqueID(text) ?? ManagedObjectID(uri: text)?.uniqueID).map(PropertyValue.reference)
        default: nil
        }
    }
}

extension ValueKind {
    fileprivate var words: String {
        switch self {
        case .number: "a number"
        case .decimal: "a decimal"
        case .boolean: "a boolean"
        case .string: "a string"
        case .date: "a date (Unix seconds, or text such as '2026-11-21' or '2026-11-21T10:30:00Z')"
        case .uuid: "a UUID"
        case .reference: "an object (its UUID)"
        case .opaque: "a value that has no order"
        }
    }
}

extension PropertyValue {
    fileprivate var words: String { "the constant \(ObjectPredicate.Expression.constant(self))" }
}
