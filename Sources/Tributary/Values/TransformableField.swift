import TributaryChanges

/// The key of a transformable attribute with the transformer for its values.
///
/// ```swift
/// static let address = TransformableField<Address>("address")                  // Codable, as JSON
/// static let shape = TransformableField("shape", transformer: ShapeTransformer())
/// static let path = TransformableField<Path>(registered: "path")               // what the model names
/// ```
///
/// A transformer that the model names and the container has (see ``TransformerRegistry``) takes precedence over JSON;
/// one that the key itself has takes precedence over both. Values are read and set as a whole: use value types, and set
/// the attribute to the changed value. An instance of a class that is changed in place is not noticed and not saved.
public final class TransformableField<Value>: Sendable {
    private let cache: SlotCache
    private let own: (any AttributeTransforming<Value>)?
    private let fallback: (any AttributeTransforming<Value>)?

    /// Creates the key of the attribute with the given name and a transformer.
    public init(_ name: String, transformer: any AttributeTransforming<Value>) {
        cache = SlotCache(name)
        own = transformer
        fallback = nil
    }

    /// Creates the key of the attribute with the given name, with the transformer that the model names for it.
    ///
    /// When that transformer is missing or is for values of another type, reading returns nil and
    /// ``ManagedObject/transformed(_:)`` throws.
    public init(registered name: String) {
        cache = SlotCache(name)
        own = nil
        fallback = nil
    }

    fileprivate init(_ name: String, fallback: any AttributeTransforming<Value>) {
        cache = SlotCache(name)
        own = nil
        self.fallback = fallback
    }

    /// The attribute's name in the model.
    public var name: String { cache.name }

    func slot(in kind: ObjectKind) -> Int { cache.known(in: kind) ?? cache.find(in: kind, for: self) }

    /// Returns the transformer of the attribute in an entity.
    ///
    /// - Throws: ``ContextError`` when there is none for values of this type.
    func transformer(in kind: ObjectKind) throws(ContextError) -> any AttributeTransforming<Value> {
        if kind.isKnown, cache.known(in: kind) == nil, let reason = mismatch(in: kind) {
            throw .fields([FieldProblem(self, in: kind, reason: reason)])
        }
        if let own { return own }
        guard let registered = kind.properties.transformers[slot(in: kind)] else {
            if let fallback { return fallback }
            let wanted = kind.entity.property(named: name)?.attribute?.valueTransformerName
            throw .missingTransformer(entity: kind.entity.name, attribute: name, transformer: wanted ?? "")
        }
        guard let fitting = registered as? any AttributeTransforming<Value> else {
            throw .wrongType(
                entity: kind.entity.name,
                property: name,
                expected: "a transformer of \(Value.self)",
                found: "\(type(of: registered))"
            )
        }
        return fitting
    }
}

extension TransformableField: CheckedField {
    func mismatch(in kind: ObjectKind) -> String? {
        let found = attribute(in: kind)
        guard case .property(let attribute) = found else { return found.mismatch }
        return attribute.accepts(.binary([]))
            ? nil : "'\(name)' is of the type \(attribute.type.rawValue): declare it as a Field"
    }
}

extension TransformableField where Value: Codable {
    /// Creates the key of the attribute; its values are JSON unless the model names a registered transformer.
    public convenience init(_ name: String) {
        self.init(name, fallback: CodableTransformer<Value>())
    }
}

extension ManagedObject {
    /// Reads or sets a transformable attribute; nil when it has no value or the transformer cannot read its bytes.
    ///
    /// A value that the transformer refuses is not set; see ``transformed(_:)`` and ``setTransformed(_:for:)`` for the
    /// errors.
    public subscript<Value>(field: TransformableField<Value>) -> Value? {
        get {
            _ = field.slot(in: kind)
            return try? transformed(field)
        }
        set {
            let slot = field.slot(in: kind)
            do throws(ContextError) {
                try checkWritable(slot)
            } catch {
                return refuse(error, slot)
            }
            try? setTransformed(newValue, for: field)
        }
    }

    /// Reads or sets the bytes of a transformable attribute without its transformer.
    public subscript<Value, Other: FieldValue>(field: TransformableField<Value>, as type: Other.Type) -> Other {
        get { Other(fieldValue: wholeValue(field.slot(in: kind))) ?? Other.zeroField }
        set { assign(newValue.fieldValue, field.slot(in: kind)) }
    }

    /// The value of a transformable attribute; nil when there is none.
    ///
    /// - Throws: the transformer's error, and ``ContextError`` when the key has none.
    public func transformed<Value>(_ field: TransformableField<Value>) throws -> Value? {
        let transformer = Result { () throws(ContextError) in try field.transformer(in: kind) }
        if case .failure(.fields(let problems)) = transformer { throw ContextError.fields(problems) }
        let slot = field.slot(in: kind)
        guard case .binary(let bytes) = try wholeOrError(read(slot), slot) else { return nil }
        return try transformer.get().value(of: bytes)
    }

    /// Sets a transformable attribute.
    ///
    /// - Throws: what the transformer throws, and ``ContextError`` when the key has none or the object is gone.
    public func setTransformed<Value>(_ value: Value?, for field: TransformableField<Value>) throws {
        let transformer = try field.transformer(in: kind)
        try checkWritable(field.slot(in: kind))
        let bytes = try value.map { try transformer.bytes(of: $0) }
        write(bytes.map(PropertyValue.binary) ?? .null, field.slot(in: kind))
    }
}
