/// The value of an attribute or a to-one relationship, as the object graph and the store see it.
public enum PropertyValue: Hashable, Sendable {
    /// No value.
    case null
    /// Integer 16, 32 and 64.
    case integer(Int64)
    /// Double and Float.
    case double(Double)
    case boolean(Bool)
    case string(String)
    case date(DateValue)
    /// The canonical decimal text: no exponent, no superfluous zeros.
    case decimal(String)
    case uuid(UniqueID)
    case uri(String)
    /// Binary and Transformable.
    case binary([UInt8])
    /// Binary that lies beside the log, by the lower-case hexadecimal SHA-256 of its bytes.
    case blob(sha256: String, size: Int64)
    /// A composite as canonical JSON text.
    case composite(String)
    /// The target of a to-one relationship.
    case reference(UniqueID)

    /// The date nearest to a number of Unix seconds.
    @_disfavoredOverload
    public static func date(_ unixSeconds: Double) -> PropertyValue { .date(DateValue(unixSeconds: unixSeconds)) }

    /// Whether there is no value.
    @inlinable public var isNull: Bool {
        if case .null = self { true } else { false }
    }
}
