/// A value as it stands in the log, before a model has said what it means.
package enum JSONValue: Hashable, Sendable {
    case null
    case boolean(Bool)
    /// A number without fraction or exponent that fits 64 bits.
    case integer(Int64)
    /// A number with fraction or exponent, finite.
    case double(Double)
    /// A number with fraction or exponent that has more digits than a double keeps, as written: a date needs them.
    case number(String)
    /// A number that neither of the two can hold (beyond 64 bits, or beyond the range of a double), as written.
    case unrepresentable(String)
    case string(String)
    case array([JSONValue])
    /// Members in the order in which they were written; no two keys have the same scalars.
    case object([JSONMember])

    /// The member with the given key, when this is an object that has one.
    package subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key.isIdentical(to: key) }?.value
    }

    /// A number with fraction or exponent, of which `value` is the nearest double.
    ///
    /// The text is kept only where it stands for another date than the double.
    package static func fraction(_ value: Double, text: @autoclosure () -> String) -> JSONValue {
        // Near 1970 doubles are finer than dates, and far from it as coarse.
        guard value.magnitude > 1e8, value.magnitude < 1e25 else { return .double(value) }
        let text = text()
        guard text != value.description, !text.hasSuffix(".0"), let date = DateValue(unixText: text),
            date != DateValue(unixSeconds: value)
        else { return .double(value) }
        return .number(text)
    }

    /// What the value is, in words for an error.
    package var kind: String {
        switch self {
        case .null: "null"
        case .boolean: "a boolean"
        case .integer: "an integer"
        case .double, .number: "a number"
        case .unrepresentable: "a number out of range"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
