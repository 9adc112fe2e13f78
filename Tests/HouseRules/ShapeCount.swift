/// A count in one folder, type or function.
struct ShapeCount: Hashable, Sendable {
    /// The folder, type or function.
    var subject: String
    var value: Int
    /// Where to look.
    var path: String
}
