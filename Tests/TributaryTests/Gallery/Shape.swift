/// The value of a transformable attribute.
struct Shape: Hashable, Sendable {
    var corners: Int
}
