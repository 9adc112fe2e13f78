public import TributaryChanges

extension ObjectPredicate.Expression {
    /// The parts of an expression.
    public indirect enum Form: Sendable, Hashable {
        /// A value; strings may stand for UUIDs, dates, decimals and objects.
        case constant(PropertyValue)
        /// A property, or a path through relationships; an empty path is the object itself.
        case keyPath([String])
        /// The values of `IN` and the two bounds of `BETWEEN`.
        case list([ObjectPredicate.Expression])
        /// `$NAME`, to be given before the predicate is used, or the object that a subquery looks at.
        case variable(String)
        /// `$NAME.path`: a path that starts at the object that a subquery looks at.
        case variablePath(String, [String])
        /// A function of other expressions.
        case function(ObjectPredicate.Function, [ObjectPredicate.Expression])
        /// Objects of a to-many path that fulfil a condition of their own.
        case subquery(ObjectPredicate.Subquery)
        /// What an expression with more than ``ObjectPredicate/maximumDepth`` levels becomes: only their number is left.
        case tooDeep(Int)
    }

    /// A value; strings may stand for UUIDs, dates, decimals and objects.
    public static func constant(_ value: PropertyValue) -> Self { Self(.constant(value), depth: 1) }

    /// A property, or a path through relationships; an empty path is the object itself.
    ///
    /// The last component may be `@count` when the one before is a to-many relationship.
    public static func keyPath(_ components: [String]) -> Self { Self(.keyPath(components), depth: 1) }

    /// The values of `IN` and the two bounds of `BETWEEN`.
    public static func list(_ values: [ObjectPredicate.Expression]) -> Self {
        Self(.list(values), around: values.lazy.map(\.depth).max())
    }

    /// `$NAME`, to be given before the predicate is used, or the object that a subquery looks at.
    public static func variable(_ name: String) -> Self { Self(.variable(name), depth: 1) }

    /// `$NAME.path`: a path that starts at the object that a subquery looks at.
    public static func variablePath(_ name: String, _ components: [String]) -> Self {
        Self(.variablePath(name, components), depth: 1)
    }

    /// A function of other expressions.
    public static func function(_ function: ObjectPredicate.Function, _ arguments: [Self]) -> Self {
        Self(.function(function, arguments), around: arguments.lazy.map(\.depth).max())
    }

    /// Objects of a to-many path that fulfil a condition of their own.
    public static func subquery(_ subquery: ObjectPredicate.Subquery) -> Self {
        Self(.subquery(subquery), around: max(subquery.collection.depth, subquery.predicate.depth))
    }

    private init(_ form: Form, around inner: Int?) {
        let depth = ObjectPredicate.depth(around: inner)
        self.init(depth > ObjectPredicate.maximumDepth ? .tooDeep(depth) : form, depth: depth)
    }
}

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
