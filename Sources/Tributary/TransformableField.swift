import TributaryChanges

/// The key of a transformable attribute with the transformer for its values.
///
/// ```swift
/// static let address = TransformableField<Address>("address")                  // Codable
/// static let shape = TransformableField("shape", transformer: ShapeTransformer())
/// ```
public final class TransformableField<Value>: Sendable {
    private let cache: SlotCache
    let transformer: any AttributeTransforming<Value>

    /// The key of the attribute with the given name, through a transformer.
    public init(_ name: String, transformer: any AttributeTransforming<Value>) {
        cache = SlotCache(name)
        self.transformer = transformer
    }

    /// The attribute's name in the model.
    public var name: String { cache.name }

    func slot(in kind: ObjectKind) -> Int { cache.slot(in: kind) }
}

extension TransformableField where Value: Codable {
    /// The key of the attribute with the given name, its values as JSON.
    public convenience init(_ name: String) {
        self.init(name, transformer: CodableTransformer<Value>())
    }
}

extension ManagedObject {
    /// A transformable attribute through its key: nil when there is no value, or its bytes are none of the transformer's.
    ///
    /// A value that the transformer refuses is not set; see ``transformed(_:)`` and ``setTransformed(_:for:)`` for the
    /// errors.
    public subscript<Value>(field: TransformableField<Value>) -> Value? {
        get { try? transformed(field) }
        set { try? setTransformed(newValue, for: field) }
    }

    /// The value of a transformable attribute; nil when there is none.
    ///
    /// - Throws: what the transformer throws.
    public func transformed<Value>(_ field: TransformableField<Value>) throws -> Value? {
        guard case .binary(let bytes) = read(field.slot(in: kind)) else { return nil }
        return try field.transformer.value(of: bytes)
    }

    /// Sets a transformable attribute.
    ///
    /// - Throws: what the transformer throws.
    public func setTransformed<Value>(_ value: Value?, for field: TransformableField<Value>) throws {
        let bytes = try value.map { try field.transformer.bytes(of: $0) }
        write(bytes.map(PropertyValue.binary) ?? .null, field.slot(in: kind))
    }
}
