/// Who may use the generated declarations.
package enum AccessLevel: String, Sendable, CaseIterable {
    case `internal`
    case `public`

    /// What stands before a declaration.
    var prefix: String { self == .public ? "public " : "" }
}
