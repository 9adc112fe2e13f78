import TributaryChanges

/// The key of a transformable attribute with the transformer for its values.
///
/// ```swift
/// static let address = TransformableField<Address>("address")                  // Codable, as JSON
/// static let shape = TransformableField("shape", transformer: ShapeTransformer())
/// static let path = TransformableField<Path>(registered: "path")               // what the model names
/// ```
///
/// A transformer that the model names and the container has (see ``TransformerRegistry``) takes precedence over JSON; a
/// transformer of the key itself takes precedence over both. Values are read and set as a whole: use value types, and
/// set the attribute to the changed value. An instance of a class that is changed in place is not noticed and not
/// saved.
public final class TransformableField<Value>: Sendable {
    private let cache: PropertyIndexCache
    private let own: (any AttributeTransforming<Value>)?
    private let fallback: (any AttributeTransforming<Value>)?

    /// Creates the key of the attribute with the given name and a transformer.
    ///
    /// - Parameters:
    ///   - name: The attribute's name in the model.
    ///   - transformer: The transformer of the key itself.
    ///   - accessor: The name of the key in the class, if it differs; see ``FieldAccess``.
    public init(_ name: String, transformer: any AttributeTransforming<Value>, accessor: String? = nil) {
        cache = PropertyIndexCache(name, accessor)
        own = transformer
        fallback = nil
    }

    /// Creates the key of the attribute with the given name, with the transformer that the model names for it.
    ///
    /// When that transformer is missing or is for values of another type, reading returns nil and
    /// ``ManagedObject/transformed(_:)`` throws.
    ///
    /// - Parameters:
    ///   - name: The attribute's name in the model.
    ///   - accessor: The name of the key in the class, if it differs; see ``FieldAccess``.
    public init(registered name: String, accessor: String? = nil) {
        cache = PropertyIndexCache(name, accessor)
        own = nil
        fallback = nil
    }

    fileprivate init(_ name: String, accessor: String?, fallback: any AttributeTransforming<Value>) {
        cache = PropertyIndexCache(name, accessor)
        own = nil
        self.fallback = fallback
    }

    /// The attribute's name in the model.
    public var name: String { cache.name }

    func propertyIndex(in descriptor: EntityDescriptor) -> Int {
        cache.known(in: descriptor) ?? cache.find(in: descriptor, for: self)
    }

    func transformer(in descriptor: EntityDescriptor) throws(ContextError) -> any AttributeTransforming<Value> {
        if descriptor.isKnown, cache.known(in: descriptor) == nil, let reason = mismatch(in: descriptor) {
            throw .fields([FieldProblem(self, in: descriptor, reason: reason)])
        }
        if let own { return own }
        guard let registered = descriptor.properties.transformers[propertyIndex(in: descriptor)] else {
            if let fallback { return fallback }
            let wanted = descriptor.entity.property(named: name)?.attribute?.valueTransformerName
            throw .missingTransformer(entity: descriptor.entity.name, attribute: name, transformer: wanted ?? "")
        }
        guard let fitting = registered as? any AttributeTransforming<Value> else {
            throw .wrongType(
                entity: descriptor.entity.name,
                property: name,
                expected: "a transformer of \(Value.self)",
                found: "\(type(of: registered))"
            )
        }
        return fitting
    }
}

extension TransformableField: CheckedField {
    var accessor: String { cache.accessor }

    func mismatch(in descriptor: EntityDescriptor) -> String? {
        let found = attribute(in: descriptor)
        guard case .property(let attribute) = found else { return found.mismatch }
        return attribute.type.accepts(.binary([]))
            ? nil : "'\(name)' is of the type \(attribute.type.rawValue): declare it as a Field"
    }
}

extension TransformableField where Value: Codable {
    /// Creates the key of the attribute; its values are JSON unless the model names a registered transformer.
    ///
    /// - Parameters:
    ///   - name: The attribute's name in the model.
    ///   - accessor: The name of the key in the class, if it differs; see ``FieldAccess``.
    public convenience init(_ name: String, accessor: String? = nil) {
        self.init(name, accessor: accessor, fallback: CodableTransformer<Value>())
    }
}

extension ManagedObject {
    /// Reads or sets a transformable attribute; nil when it has no value or the transformer cannot read its bytes.
    ///
    /// A value that the transformer refuses is not set; see ``transformed(_:)`` and ``setTransformed(_:for:)`` for the
    /// errors.
    public subscript<Value>(field: TransformableField<Value>) -> Value? {
        get {
            _ = field.propertyIndex(in: descriptor)
            return try? transformed(field)
        }
        set {
            let propertyIndex = field.propertyIndex(in: descriptor)
            do throws(ContextError) {
                try checkWritable(propertyIndex)
            } catch {
                return refuse(error, propertyIndex)
            }
            try? setTransformed(newValue, for: field)
        }
    }

    /// Reads or sets the bytes of a transformable attribute without its transformer.
    public subscript<Value, Other: FieldValue>(field: TransformableField<Value>, as type: Other.Type) -> Other {
        get { Other(fieldValue: wholeValue(field.propertyIndex(in: descriptor))) ?? Other.zeroField }
        set { assign(newValue.fieldValue, field.propertyIndex(in: descriptor)) }
    }

    /// The value of a transformable attribute; nil without a value.
    ///
    /// - Throws: the transformer's error, and ``ContextError`` when the key has no transformer.
    public func transformed<Value>(_ field: TransformableField<Value>) throws -> Value? {
        let transformer = Result { () throws(ContextError) in try field.transformer(in: descriptor) }
        if case .failure(.fields(let problems)) = transformer { throw ContextError.fields(problems) }
        let propertyIndex = field.propertyIndex(in: descriptor)
        guard case .binary(let bytes) = try wholeOrError(read(propertyIndex), propertyIndex) else { return nil }
        return try transformer.get().value(of: bytes)
    }

    /// Sets a transformable attribute.
    ///
    /// - Throws: the transformer's error, and ``ContextError`` when the key has no transformer or the object is gone.
    public func setTransformed<Value>(_ value: Value?, for field: TransformableField<Value>) throws {
        let transformer = try field.transformer(in: descriptor)
        try checkWritable(field.propertyIndex(in: descriptor))
        let bytes = try value.map { try transformer.bytes(of: $0) }
        write(bytes.map(PropertyValue.binary) ?? .null, field.propertyIndex(in: descriptor))
    }
}
