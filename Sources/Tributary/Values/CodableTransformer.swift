import Foundation

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
