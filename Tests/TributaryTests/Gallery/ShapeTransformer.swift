import Tributary

/// A shape as one byte.
struct ShapeTransformer: AttributeTransforming {
    struct NoShape: Error {}

    func bytes(of value: Shape) throws -> [UInt8] { [UInt8(value.corners)] }

    func value(of bytes: [UInt8]) throws -> Shape {
        guard bytes.count == 1 else { throw NoShape() }
        return Shape(corners: Int(bytes[0]))
    }
}
