/// In whose name a batch is written, and what it does about objects in its way.
package struct BatchTerms {
    /// What becomes of a row whose unique key another object has.
    package enum Collision: Sendable {
        /// The whole batch is refused.
        case refuse
        /// The other object gets the row's values.
        case update
        /// The other object is deleted.
        case replace
        /// The row is left out.
        case skip
    }

    package var author: String?
    package var contextName: String?
    package var collision: Collision
    /// Whether the outcome lists IDs.
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
