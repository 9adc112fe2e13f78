/// The options of a batch: its author, how it resolves unique key collisions, and what it returns.
package struct BatchTerms {
    /// The way in which a batch treats a row whose unique key belongs to another object.
    package enum Collision: Sendable {
        case refuse
        /// The other object gets the values of the row.
        case update
        case replace
        case skip
    }

    package var author: String?
    package var contextName: String?
    package var collision: Collision
    /// Whether the result lists the IDs of the objects.
    package var listsIDs: Bool
    /// Computes derived attributes; nil when the model has none.
    package var deriving: (any BatchDeriving)?

    package init(
        author: String?,
        contextName: String?,
        collision: Collision,
        listsIDs: Bool,
        deriving: (any BatchDeriving)? = nil
    ) {
        self.author = author
        self.contextName = contextName
        self.collision = collision
        self.listsIDs = listsIDs
        self.deriving = deriving
    }
}
