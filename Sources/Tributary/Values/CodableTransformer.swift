import Foundation

/// The transformer of values that code themselves: as JSON with sorted keys, so that equal values have equal bytes.
///
/// It makes nothing but the type that it is for, whatever the bytes say.
public struct CodableTransformer<Value: Codable>: AttributeTransforming {
    /// A transformer for the type.
    public init() {}

    /// The value as JSON.
    public func bytes(of value: Value) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return [UInt8](try encoder.encode(value))
    }

    /// The value that the JSON stands for.
    public func value(of bytes: [UInt8]) throws -> Value {
        try JSONDecoder().decode(Value.self, from: Data(bytes))
    }
}
