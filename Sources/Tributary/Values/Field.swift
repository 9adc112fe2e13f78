/// The key of a typed attribute: `static let name = Field<String>("name")` in a subclass of ``ManagedObject``.
///
/// An attribute that is optional in the model is a `Field` of an optional type. The attribute's name is resolved once.
public final class Field<Value: FieldValue>: Sendable {
    @usableFromInline let cache: PropertyIndexCache

    /// Creates the key of the attribute with the given name.
    public init(_ name: String) {
        cache = PropertyIndexCache(name)
    }

    /// The attribute's name in the model.
    public var name: String { cache.name }

    @inlinable
    func propertyIndex(in descriptor: EntityDescriptor) -> Int { cache.known(in: descriptor) ?? find(in: descriptor) }

    @usableFromInline
    @inline(never)
    func find(in descriptor: EntityDescriptor) -> Int { cache.find(in: descriptor, for: self) }
}

extension Field: CheckedField {
    func mismatch(in descriptor: EntityDescriptor) -> String? {
        let found = attribute(in: descriptor)
        guard case .property(let attribute) = found else { return found.mismatch }
        guard attribute.accepts(Value.Present.zeroField.fieldValue) else {
            return "'\(name)' is of the type \(attribute.type.rawValue), which takes no \(Value.Present.self)"
        }
        // A Swift type with fewer bits reads values that it cannot hold as 0.
        if let bits = attribute.type.integerBits, let own = Value.Present.self as? any FixedWidthInteger.Type,
            own.bitWidth < bits
        {
            return "'\(name)' is of the type \(attribute.type.rawValue), more than \(Value.Present.self) holds"
        }
        return nil
    }
}
