/// The table of a many-to-many relationship, `<Entity>_<relationship>`.
package struct LinkLayout: Sendable {
    package let index: Int
    /// The number of the relationship in `tributary_link`; kept for the life of the store.
    package let code: Int64
    package let name: String
    /// Tables of the root entities at both ends.
    package let source: Int
    package let target: Int
    /// Whether pairs have a position, a string compared by bytes.
    package let isOrdered: Bool
    /// Whether the relationship is its own inverse: a pair is kept once, with the lesser ID as its source, and read
    /// from both ends.
    package let isSymmetric: Bool
    /// The name of the relationship as a property of the source and, when it has an inverse, of the target.
    let sourceProperty: String
    let targetProperty: String?
    package let definition: String

    package var quotedName: String { quoted(name) }
}
