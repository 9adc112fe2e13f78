import Glibc

/// The value of an attribute or a to-one relationship in the object graph and the store.
public enum PropertyValue: Hashable, Sendable {
    /// No value.
    case null
    /// The value of an Integer 16, 32 or 64.
    case integer(Int64)
    /// The value of a Double or a Float.
    case double(Double)
    case boolean(Bool)
    case string(String)
    case date(DateValue)
    /// The canonical decimal text: no exponent, no superfluous zeros.
    case decimal(String)
    case uuid(UniqueID)
    case uri(String)
    /// The bytes of a Binary Data or a Transformable.
    case binary([UInt8])
    /// Binary Data in a file of the log folder, by the lower-case hexadecimal SHA-256 of its bytes.
    ///
    /// It is indirect because there are few: without it each value would take 8 bytes more.
    indirect case blob(sha256: String, size: Int64)
    /// A composite as canonical JSON text.
    case composite(String)
    /// The UUID of a to-one relationship's destination object.
    case reference(UniqueID)

    /// Creates the date nearest to a number of Unix seconds.
    @_disfavoredOverload
    public static func date(_ unixSeconds: Double) -> PropertyValue { .date(DateValue(unixSeconds: unixSeconds)) }

    /// Whether there is no value.
    @inlinable public var isNull: Bool {
        if case .null = self { true } else { false }
    }
}

extension PropertyValue {
    package var json: JSONValue {
        switch self {
        case .null: .null
        case .integer(let value): .integer(value)
        case .double(let value): value.isFinite ? .double(value) : .null
        case .date(let value): value.json
        case .boolean(let value): .boolean(value)
        case .string(let text), .decimal(let text), .uri(let text): .string(text)
        case .uuid(let id), .reference(let id): .string(id.description)
        case .binary(let bytes): .string(Base64.encode(bytes))
        case .blob(let sha256, let size):
            JSONValue.members(["blob": .string(sha256), "size": .integer(size)])
        // `Attribute.value(from:)` wrote the text; any other text is passed on as a string.
        case .composite(let text): JSONValue(text: text) ?? .string(text)
        }
    }

    package var kindName: String {
        switch self {
        case .null: "null"
        case .integer(let value): "the integer \(value)"
        case .double(let value): "the number \(value)"
        case .boolean: "a boolean"
        case .string: "a string"
        case .date(let value): value.secondsSinceReferenceDate.isFinite ? "a date" : "a date that is not finite"
        case .decimal(let text): "the decimal '\(text)'" + PropertyValue.canonicalHint(text)
        case .uuid: "a UUID"
        case .uri: "a URI"
        case .binary, .blob: "a binary"
        case .composite(let text): "the composite \(text.prefix(60))"
        case .reference: "an object"
        }
    }

    private static func canonicalHint(_ text: String) -> String {
        guard let canonical = DecimalText.canonical(text) else { return ", which is not a number" }
        return canonical == text ? "" : " (write it as '\(canonical)')"
    }
}

extension PropertyValue {
    /// Whether the two are one value for the store and for predicates: texts are compared by their bytes, whereas
    /// Swift's own `==` considers canonically equivalent texts equal.
    public static func == (left: PropertyValue, right: PropertyValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.integer(let left), .integer(let right)): left == right
        case (.double(let left), .double(let right)): left == right
        case (.date(let left), .date(let right)): left == right
        case (.boolean(let left), .boolean(let right)): left == right
        case (.string(let left), .string(let right)), (.uri(let left), .uri(let right)),
            (.decimal(let left), .decimal(let right)), (.composite(let left), .composite(let right)):
            areSame(left, right)
        case (.uuid(let left), .uuid(let right)), (.reference(let left), .reference(let right)): left == right
        case (.binary(let left), .binary(let right)): left == right
        case (.blob(let left, let leftSize), .blob(let right, let rightSize)): left == right && leftSize == rightSize
        default: false
        }
    }

    private static func areSame(_ left: String, _ right: String) -> Bool {
        guard left.utf8.count == right.utf8.count else { return false }
        let isSame = left.utf8.withContiguousStorageIfAvailable { left in
            right.utf8.withContiguousStorageIfAvailable { right in
                guard let first = left.baseAddress, let second = right.baseAddress else { return true }
                return memcmp(first, second, left.count) == 0
            }
        }
        return (isSame ?? nil) ?? left.utf8.elementsEqual(right.utf8)
    }

    package func compared(to other: PropertyValue) -> Int? {
        switch (self, other) {
        case (.integer(let left), .integer(let right)): PropertyValue.order(left, right)
        case (.integer(let left), .double(let right)): PropertyValue.order(left, right)
        case (.double(let left), .integer(let right)): PropertyValue.order(right, left).map { -$0 }
        case (.double(let left), .double(let right)):
            left.isNaN || right.isNaN ? nil : PropertyValue.order(left, right)
        case (.date(let left), .date(let right)):
            PropertyValue.double(left.secondsSinceReferenceDate)
                .compared(to: .double(right.secondsSinceReferenceDate))
        case (.boolean(let left), .boolean(let right)): PropertyValue.order(left ? 1 : 0, right ? 1 : 0)
        case (.decimal(let left), .decimal(let right)): DecimalText.compare(left, right).signum()
        case (.string(let left), .string(let right)), (.uri(let left), .uri(let right)),
            (.string(let left), .uri(let right)), (.uri(let left), .string(let right)),
            (.composite(let left), .composite(let right)):
            PropertyValue.order(left, right)
        case (.uuid(let left), .uuid(let right)), (.reference(let left), .reference(let right)):
            PropertyValue.order(left, right)
        case (.binary(let left), .binary(let right)):
            left.lexicographicallyPrecedes(right) ? -1 : left == right ? 0 : 1
        default: nil
        }
    }

    package func sortOrder(to other: PropertyValue) -> Int {
        return switch (isNull, other.isNull) {
        case (true, true): 0
        case (true, false): -1
        case (false, true): 1
        case (false, false): compared(to: other) ?? 0
        }
    }

    private static func order<Value: Comparable>(_ left: Value, _ right: Value) -> Int {
        left < right ? -1 : left == right ? 0 : 1
    }

    private static func order(_ left: String, _ right: String) -> Int {
        if left.utf8.elementsEqual(right.utf8) { return 0 }
        return left.precedesByBytes(right) ? -1 : 1
    }

    /// Compares exactly, also beyond 2⁵³, where not every integer is a double.
    private static func order(_ left: Int64, _ right: Double) -> Int? {
        if right.isNaN { return nil }
        if right >= 0x1p63 { return -1 }
        if right < -0x1p63 { return 1 }
        let whole = Int64(right.rounded(.towardZero))
        if left != whole { return left < whole ? -1 : 1 }
        let fraction = right - right.rounded(.towardZero)
        return fraction > 0 ? -1 : fraction < 0 ? 1 : 0
    }
}
