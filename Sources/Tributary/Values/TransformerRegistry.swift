import TributaryModel

/// The transformers that a model names, by those names.
///
/// Linux finds no class by its name, so whoever opens the container says what a model's `valueTransformerName` means:
///
/// ```swift
/// let container = try await PersistentContainer(
///     name: "drawings",
///     path: "/var/lib/drawings/store.sqlite",
///     model: model,
///     classes: [Drawing.self],
///     transformers: ["ShapeTransformer": ShapeTransformer()]
/// )
/// // In the class: static let shape = TransformableField<Shape>(registered: "shape")
/// ```
///
/// An entity that has a class needs all of its transformers, or the container does not open. An entity without a class
/// needs none: its transformable attributes are plain bytes, as they are for `tributaryd`. The names of Core Data's own
/// transformers (``builtInNames``) need not be registered: such attributes are plain bytes too, because what
/// `NSKeyedArchiver` has written cannot be read safely without the classes it names.
public struct TransformerRegistry: Sendable {
    private var transformers: [String: any AttributeTransforming] = [:]

    /// A registry without transformers.
    public init() {}

    /// Transformers of Core Data that stand for plain bytes unless they are registered.
    public static let builtInNames: Set<String> = [
        "NSSecureUnarchiveFromData", "NSSecureUnarchiveFromDataTransformer", "NSSecureUnarchiveFromDataTransformerName",
        "NSKeyedUnarchiveFromData", "NSUnarchiveFromData",
    ]

    /// The transformer of a name; set it to register one.
    public subscript(name: String) -> (any AttributeTransforming)? {
        get { transformers[name] }
        set { transformers[name] = newValue }
    }

    /// The transformers of an entity's attributes.
    func bySlot(of entity: Entity) -> [Int: any AttributeTransforming] {
        guard !transformers.isEmpty else { return [:] }
        var result: [Int: any AttributeTransforming] = [:]
        for (slot, property) in entity.properties.enumerated() {
            guard let name = property.attribute?.valueTransformerName else { continue }
            result[slot] = transformers[name]
        }
        return result
    }

    /// - Throws: ``ContextError`` `missingTransformer`.
    func check(_ entity: Entity) throws(ContextError) {
        for attribute in entity.properties.compactMap(\.attribute) where attribute.type == .transformable {
            guard let name = attribute.valueTransformerName, !name.isEmpty, transformers[name] == nil,
                !TransformerRegistry.builtInNames.contains(name)
            else { continue }
            throw .missingTransformer(entity: entity.name, attribute: attribute.name, transformer: name)
        }
    }
}

extension TransformerRegistry: ExpressibleByDictionaryLiteral {
    /// Transformers by their names in the model; of a name that is there twice the last counts.
    public init(dictionaryLiteral elements: (String, any AttributeTransforming)...) {
        transformers = Dictionary(elements, uniquingKeysWith: { $1 })
    }
}
