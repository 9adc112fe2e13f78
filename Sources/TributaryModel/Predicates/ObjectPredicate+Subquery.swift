extension ObjectPredicate {
    /// Those objects of a to-many path that fulfil a condition: `SUBQUERY(projects, $x, $x.hours > 3)`.
    ///
    /// With `.@count` behind it, it is a number; with `ANY`, `ALL` or `NONE` before it, a path like any other.
    public struct Subquery: Sendable, Hashable {
        /// A key path, or a path from the variable of a subquery around this one.
        public var collection: Expression
        /// The name, without its dollar sign, that each object has in the condition.
        public var variable: String
        /// Which of the objects.
        public var predicate: ObjectPredicate
        /// What follows: `@count`, `@sum` and a property, or the names of a path; may be empty.
        public var path: [String]

        /// A subquery of its parts.
        public init(
            _ collection: Expression,
            variable: String,
            where predicate: ObjectPredicate,
            path: [String] = ["@count"]
        ) {
            self.collection = collection
            self.variable = variable
            self.predicate = predicate
            self.path = path
        }
    }
}
