struct Shape: Hashable, Sendable {
    var corners: Int
}
