import Foundation
import TributaryModel

/// The transformers for the names in a model.
///
/// Linux cannot find a class by its name, so the program that opens the container registers a transformer for each
/// `valueTransformerName` of the model:
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
/// transformers (``builtInNames``) need not be registered. Such attributes are plain bytes too, because an archive of
/// `NSKeyedArchiver` cannot be read safely without the classes that it names.
public struct TransformerRegistry: Sendable {
    private var transformers: [String: any AttributeTransforming] = [:]

    /// Creates a registry without transformers.
    public init() {}

    /// The transformers of Core Data; their attributes are plain bytes unless these names are registered.
    public static let builtInNames: Set<String> = [
        "NSSecureUnarchiveFromData", "NSSecureUnarchiveFromDataTransformer", "NSSecureUnarchiveFromDataTransformerName",
        "NSKeyedUnarchiveFromData", "NSUnarchiveFromData",
    ]

    /// The transformer of a name; set it to register one.
    public subscript(name: String) -> (any AttributeTransforming)? {
        get { transformers[name] }
        set { transformers[name] = newValue }
    }

    func byPropertyIndex(of entity: Entity) -> [Int: any AttributeTransforming] {
        guard !transformers.isEmpty else { return [:] }
        var result: [Int: any AttributeTransforming] = [:]
        for (propertyIndex, property) in entity.properties.enumerated() {
            guard let name = property.attribute?.valueTransformerName else { continue }
            result[propertyIndex] = transformers[name]
        }
        return result
    }

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
    /// Creates a registry of transformers by their names in the model; the last transformer of a repeated name is used.
    public init(dictionaryLiteral elements: (String, any AttributeTransforming)...) {
        transformers = Dictionary(elements, uniquingKeysWith: { $1 })
    }
}

/// Turns values of a type into the bytes of a transformable attribute and back.
public protocol AttributeTransforming<Value>: Sendable {
    /// The type of the values in the program.
    associatedtype Value
    /// Returns the bytes of a value as they are stored and exported.
    func bytes(of value: Value) throws -> [UInt8]
    /// Returns the value of stored bytes.
    ///
    /// - Throws: any error when the bytes do not represent such a value.
    func value(of bytes: [UInt8]) throws -> Value
}

/// A transformer of `Codable` values: JSON with sorted keys, so that equal values have equal bytes.
///
/// It decodes only its own type, whatever the bytes contain.
public struct CodableTransformer<Value: Codable>: AttributeTransforming {
    /// Creates a transformer for the type.
    public init() {}

    /// Returns the value as JSON.
    public func bytes(of value: Value) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return [UInt8](try encoder.encode(value))
    }

    /// Returns the value of the JSON.
    public func value(of bytes: [UInt8]) throws -> Value {
        try JSONDecoder().decode(Value.self, from: Data(bytes))
    }
}
