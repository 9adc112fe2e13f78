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

    /// Whether the value is null.
    @inlinable public var isNull: Bool {
        if case .null = self { true } else { false }
    }
}
