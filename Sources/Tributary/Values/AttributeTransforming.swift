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
