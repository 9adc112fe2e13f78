/// The key of a typed attribute: `static let name = Field<String>("name")` in a subclass of ``ManagedObject``.
///
/// An attribute that is optional in the model is a `Field` of an optional type. The attribute's name is resolved once.
public final class Field<Value: FieldValue>: Sendable {
    private let cache: SlotCache

    /// The key of the attribute with the given name.
    public init(_ name: String) {
        cache = SlotCache(name)
    }

    /// The attribute's name in the model.
    public var name: String { cache.name }

    @usableFromInline
    func slot(in kind: ObjectKind) -> Int { cache.slot(in: kind) }
}

extension ManagedObject {
    /// An attribute through its typed key.
    ///
    /// Reading never fails: see ``faultError``; a mandatory attribute that was never set reads as the type's zero, and
    /// saving it so is a validation error.
    @inlinable
    public subscript<Value: FieldValue>(field: Field<Value>) -> Value {
        get {
            let slot = field.slot(in: kind)
            let value = read(slot)
            if case .blob = value { return Value(fieldValue: whole(value, slot)) ?? Value.zeroField }
            return Value(fieldValue: value) ?? Value.zeroField
        }
        set { write(newValue.fieldValue, field.slot(in: kind)) }
    }
}
