public import TributaryChanges

extension ObjectPredicate.Expression {
    /// The form of an expression.
    public indirect enum Form: Sendable, Hashable {
        /// A value; a string may represent a UUID, a date, a decimal or an object.
        case constant(PropertyValue)
        /// A property, or a path through relationships; an empty path is the object itself.
        case keyPath([String])
        /// The values of `IN` and the two bounds of `BETWEEN`.
        case list([ObjectPredicate.Expression])
        /// `$NAME`: a value to be substituted before use, or the object of a subquery.
        case variable(String)
        /// `$NAME.path`: a path that starts at the object of a subquery.
        case variablePath(String, [String])
        /// A function of other expressions.
        case function(ObjectPredicate.Function, [ObjectPredicate.Expression])
        /// The objects of a to-many path that satisfy a condition.
        case subquery(ObjectPredicate.Subquery)
        /// An expression with more than ``ObjectPredicate/maximumDepth`` levels; only the number of levels is kept.
        case tooDeep(Int)
    }

    /// A value; a string may represent a UUID, a date, a decimal or an object.
    public static func constant(_ value: PropertyValue) -> Self { Self(.constant(value), depth: 1) }

    /// A property, or a path through relationships; an empty path is the object itself.
    ///
    /// The last component may be `@count` when the one before is a to-many relationship.
    public static func keyPath(_ components: [String]) -> Self { Self(.keyPath(components), depth: 1) }

    /// The values of `IN` and the two bounds of `BETWEEN`.
    public static func list(_ values: [ObjectPredicate.Expression]) -> Self {
        Self(.list(values), around: values.lazy.map(\.depth).max())
    }

    /// `$NAME`: a value to be substituted before use, or the object of a subquery.
    public static func variable(_ name: String) -> Self { Self(.variable(name), depth: 1) }

    /// `$NAME.path`: a path that starts at the object of a subquery.
    public static func variablePath(_ name: String, _ components: [String]) -> Self {
        Self(.variablePath(name, components), depth: 1)
    }

    /// A function of other expressions.
    public static func function(_ function: ObjectPredicate.Function, _ arguments: [Self]) -> Self {
        Self(.function(function, arguments), around: arguments.lazy.map(\.depth).max())
    }

    /// The objects of a to-many path that satisfy a condition.
    public static func subquery(_ subquery: ObjectPredicate.Subquery) -> Self {
        Self(.subquery(subquery), around: max(subquery.collection.depth, subquery.predicate.depth))
    }

    private init(_ form: Form, around inner: Int?) {
        let depth = ObjectPredicate.depth(around: inner)
        self.init(depth > ObjectPredicate.maximumDepth ? .tooDeep(depth) : form, depth: depth)
    }
}

extension ObjectPredicate {
    /// The objects of a to-many path that satisfy a condition: `SUBQUERY(projects, $x, $x.hours > 3)`.
    ///
    /// Before `.@count` it is a number; after `ANY`, `ALL` or `NONE` it is used like a to-many path.
    public struct Subquery: Sendable, Hashable {
        /// The key path of the objects, or a path from the variable of an enclosing subquery.
        public var collection: Expression
        /// The name, without its dollar sign, that each object has in the condition.
        public var variable: String
        /// The condition on the objects.
        public var predicate: ObjectPredicate
        /// The names after the subquery: `@count`, `@sum` and a property, or a path; may be empty.
        public var path: [String]

        /// Creates a subquery.
        ///
        /// - Parameters:
        ///   - collection: The key path of the objects.
        ///   - variable: The name of each object in the condition, without its dollar sign.
        ///   - predicate: The condition on the objects.
        ///   - path: The names after the subquery.
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
