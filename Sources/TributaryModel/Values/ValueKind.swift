package import TributaryChanges

/// The kind of a value; only values of the same kind compare.
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

    package var text: String? {
        switch self {
        case .string(let text), .uri(let text): text
        default: nil
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

extension PropertyValue {
    func coerced(to kind: ValueKind, beside text: String) throws(ObjectPredicateError) -> PropertyValue {
        guard let result = coerced(to: kind) else {
            let constant = "the constant \(ObjectPredicate.Expression.constant(self))"
            throw ObjectPredicateError("\(constant) does not compare with '\(text)', \(kind.words)", keyPath: text)
        }
        return result
    }

    func coerced(to kind: ValueKind) -> PropertyValue? {
        switch (kind, self) {
        case (.number, .integer), (.number, .double), (.boolean, .boolean), (.date, .date), (.uuid, .uuid),
            (.reference, .reference):
            self
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
