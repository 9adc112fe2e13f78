package enum AccessLevel: String, Sendable, CaseIterable {
    case `internal`
    case `public`

    /// The text before a declaration.
    var prefix: String { self == .public ? "public " : "" }
}
