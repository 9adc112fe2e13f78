extension ObjectPredicate {
    /// What the values at the end of a to-many path come to.
    package enum Aggregate: String, Sendable, Hashable, CaseIterable {
        case sum, min, max
        case average = "avg"
        /// How many objects; of plain to-many relationships, and of subqueries.
        case count
    }
}
