/// Turns values of a type into the bytes of a transformable attribute and back.
public protocol AttributeTransforming<Value>: Sendable {
    /// What the program works with.
    associatedtype Value
    /// The bytes as they are stored and exported.
    func bytes(of value: Value) throws -> [UInt8]
    /// The value of stored bytes.
    ///
    /// - Throws: anything when the bytes are not such a value.
    func value(of bytes: [UInt8]) throws -> Value
}
