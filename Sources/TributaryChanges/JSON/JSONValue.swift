/// A JSON value of the log, before a model gives it a type.
package enum JSONValue: Hashable, Sendable {
    case null
    case boolean(Bool)
    /// A number without fraction or exponent that fits 64 bits.
    case integer(Int64)
    /// A number with fraction or exponent, finite.
    case double(Double)
    /// A number with fraction or exponent and more digits than a double can represent, as written; dates need them.
    case number(String)
    /// A number outside the range of 64-bit integers or doubles, as written.
    case unrepresentable(String)
    case string(String)
    case array([JSONValue])
    /// The members in the order of the text; no two keys have equal Unicode scalars.
    case object([JSONMember])

    /// The members that have a value, in the given order.
    package static func members(of members: KeyValuePairs<String, JSONValue?>) -> [JSONMember] {
        members.compactMap { key, value in value.map { JSONMember(key: key, value: $0) } }
    }

    /// Nil when the value is not an object or has no such key.
    package subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key.isIdentical(to: key) }?.value
    }

    /// Creates an object of the members that have a value, in order.
    package static func members(_ members: KeyValuePairs<String, JSONValue?>) -> JSONValue {
        .object(JSONValue.members(of: members))
    }

    /// A number that may exceed 64 bits with a sign.
    package static func count(_ number: some BinaryInteger) -> JSONValue { .integer(Int64(clamping: number)) }

    /// Creates a number with fraction or exponent; `value` is the nearest double.
    ///
    /// The text is kept only where it denotes another date than the double.
    ///
    /// `digits` are all digits as an integer, and how many of them are behind the point, where that is known; `text` is
    /// the number as written.
    package static func fraction(
        _ value: Double,
        digits: (count: Int64, places: Int)? = nil,
        text: @autoclosure () -> String
    ) -> JSONValue {
        // Within these bounds doubles of Unix seconds are coarser than dates; near 1970 they are finer, and far from it
        // as coarse.
        guard value.magnitude > 1e8, value.magnitude < 1e25 else { return .double(value) }
        if let digits, let date = DateValue(unixCount: digits.count, places: digits.places) {
            return date == DateValue(unixSeconds: value) ? .double(value) : .number(text())
        }
        let text = text()
        guard text != value.description, !text.hasSuffix(".0"), let date = DateValue(unixText: text),
            date != DateValue(unixSeconds: value)
        else { return .double(value) }
        return .number(text)
    }

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

package struct JSONMember: Hashable, Sendable {
    package var key: String
    package var value: JSONValue

    package init(key: String, value: JSONValue) {
        self.key = key
        self.value = value
    }
}

extension [JSONMember] {
    /// Whether two keys have equal Unicode scalars.
    package var repeatsKey: Bool {
        guard count > 16 else {
            return indices.contains { later in
                self[..<later].contains { $0.key.isIdentical(to: self[later].key) }
            }
        }
        return Set(map { [UInt8]($0.key.utf8) }).count < count
    }
}
