/// What a transformable attribute holds.
struct Shape: Hashable, Sendable {
    var corners: Int
}
