/// An index that the store has for fetches.
public struct FetchIndex: Sendable, Hashable {
    /// A property of the index and its order.
    public struct Element: Sendable, Hashable {
        /// A stored attribute or a to-one relationship.
        public var property: String
        /// Whether the least values come first.
        public var isAscending: Bool

        /// Creates an element of an index; the order is ascending by default.
        public init(_ property: String, ascending: Bool = true) {
            self.property = property
            isAscending = ascending
        }

        init(signedName name: String) {
            property = name.hasPrefix("-") ? String(name.dropFirst()) : name
            isAscending = !name.hasPrefix("-")
        }

        var signedName: String { isAscending ? property : "-\(property)" }
    }

    /// The name in the model.
    public var name: String
    /// The properties, the most significant first.
    public var elements: [Element]

    /// Creates an index of properties.
    public init(name: String, elements: [Element]) {
        self.name = name
        self.elements = elements
    }
}
