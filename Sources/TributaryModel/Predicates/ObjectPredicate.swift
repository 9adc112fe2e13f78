import TributaryChanges

/// A condition on objects that SQL and the evaluation in memory give the same result for.
///
/// ```swift
/// let rich = try ObjectPredicate(parsing: "salary > %d AND department.name BEGINSWITH[c] 'r'", arguments: [1000])
/// ```
///
/// The semantics of comparisons are the same in SQL and in memory:
///
/// - **Nothing.** `x == NULL` is true where there is no value, `x != NULL` where there is one. Every other comparison in
///   which one side has no value is false (`x != 5` too), and logic is two-valued: NOT of false is true. A NULL in a list
///   equals nothing. A path that leads through an empty to-one relationship has no value; `@count` is 0 there.
/// - **Numbers** compare as numbers, integers with doubles exactly; decimals by all their digits.
/// - **Dates** compare as Unix seconds; the number 0 is 1970-01-01T00:00:00Z. A text such as `'2026-11-21'` or
///   `'2026-11-21T10:30:00Z'` is a date where it meets a date attribute.
/// - **Strings** are equal when their UTF-8 bytes are, and are ordered by them (that is the order of Unicode scalars).
///   With `[c]` both sides are lower-cased first, scalar by scalar; with `[d]` both are decomposed canonically and lose
///   their nonspacing marks. LIKE knows `*` (any number of scalars) and `?` (one scalar), `\\*` and `\\?` mean the
///   characters themselves. MATCHES is an ICU regular expression for the whole string; a string that takes it more than ten
///   million steps does not fit.
/// - **Paths** lead through 30 relationships at most.
/// - **Depth.** A predicate nests at most ``maximumDepth`` deep. One that is built deeper keeps nothing of what it is made of
///   (see ``Form-swift.enum/tooDeep(_:)``), and whatever uses it throws ``ObjectPredicateError``.
/// - **Identity.** UUIDs are compared by their bytes; to-one relationships and SELF stand for the object's UUID. In text,
///   both are written as strings.
/// - **To-many paths** need ANY (or SOME), ALL or NONE, and mean the values at the end of the path, object by object. ALL
///   is true, ANY false, where there are none. `x IN path` and `path CONTAINS x` mean `ANY path == x`.
/// - **Booleans** can be equal or not; in text, 1 and 0 mean TRUE and FALSE.
/// - **Aggregates.** `projects.@count`, `projects.@sum.hours` (also written `projects.hours.@sum`), `@min`, `@max` and
///   `@avg` pass over what has no value. Of nothing, `@count` and `@sum` are 0, the others have no value. `@avg` is a double.
/// - **Arithmetic.** Integers stay integers, and are cut when they are divided (`7 / 2` is 3); with a double the result is
///   one, and `**` always is. Decimals are exact and cannot be divided. A date plus or minus seconds is a date. What
///   overflows, is divided by zero or needs more than 38 digits has no value.
/// - **Casts.** `CAST(x, 'NSNumber')` and back with `'NSDate'` count seconds from 2001-01-01, as in Core Data; also
///   `'NSString'` and `'NSDecimalNumber'`. What cannot be cast has no value. `length:` counts Unicode scalars.
/// - **Entities.** `entity == 'Foreman'` compares the object's own entity by name; objects of sub-entities are others.
/// - **Binary, transformable and composite** values can only be compared with NULL.
public struct ObjectPredicate: Sendable, Hashable {
    /// The form of the tree's root.
    public let form: Form
    /// The number of levels, including those of expressions.
    let depth: Int

    init(_ form: Form, depth: Int) {
        self.form = form
        self.depth = depth
    }

    /// A comparison of two expressions.
    public struct Comparison: Sendable, Hashable {
        /// The expression before the operator.
        public var left: Expression
        /// The operator.
        public var operation: Operator
        /// The expression after the operator.
        public var right: Expression
        /// Whether strings are compared in lower case: `[c]`.
        public var isCaseInsensitive: Bool
        /// Whether strings are compared without diacritics: `[d]`.
        public var isDiacriticInsensitive: Bool
        /// The quantifier of a to-many key path on the left side.
        public var quantifier: Quantifier

        /// Creates a comparison, which is case-sensitive and diacritic-sensitive by default.
        public init(
            _ left: Expression,
            _ operation: Operator,
            _ right: Expression,
            caseInsensitive: Bool = false,
            diacriticInsensitive: Bool = false,
            quantifier: Quantifier = .direct
        ) {
            self.left = left
            self.operation = operation
            self.right = right
            isCaseInsensitive = caseInsensitive
            isDiacriticInsensitive = diacriticInsensitive
            self.quantifier = quantifier
        }
    }

    /// An operand of a comparison.
    public struct Expression: Sendable, Hashable {
        /// The form of the tree's root.
        public let form: Form
        /// The number of levels.
        let depth: Int

        init(_ form: Form, depth: Int) {
            self.form = form
            self.depth = depth
        }
    }

    /// An operator of a comparison.
    public enum Operator: String, Sendable, Hashable, CaseIterable {
        /// Equal.
        case equal = "=="
        /// Not equal.
        case notEqual = "!="
        /// Less.
        case less = "<"
        /// Less or equal.
        case lessOrEqual = "<="
        /// Greater.
        case greater = ">"
        /// Greater or equal.
        case greaterOrEqual = ">="
        /// Equal to one of a list.
        case isIn = "IN"
        /// From the first to the second of two bounds, both included.
        case between = "BETWEEN"
        /// The string begins with another.
        case beginsWith = "BEGINSWITH"
        /// The string ends with another.
        case endsWith = "ENDSWITH"
        /// The string contains another.
        case contains = "CONTAINS"
        /// The string matches a pattern with `*` and `?`.
        case like = "LIKE"
        /// The whole string matches a regular expression.
        case matches = "MATCHES"
    }

    /// The objects at the end of a to-many path for which a comparison must be true.
    public enum Quantifier: String, Sendable, Hashable, CaseIterable {
        /// No quantifier: the path has one value.
        case direct
        /// At least one.
        case any = "ANY"
        /// Every object; true when there is none.
        case all = "ALL"
        /// No object.
        case none = "NONE"
    }
}

extension ObjectPredicate.Operator {
    /// Whether the operator is BEGINSWITH, ENDSWITH, CONTAINS, LIKE or MATCHES.
    package var isStringOperator: Bool {
        switch self {
        case .beginsWith, .endsWith, .contains, .like, .matches: true
        default: false
        }
    }

    /// Whether the operator needs values with an order.
    package var isOrder: Bool {
        switch self {
        case .less, .lessOrEqual, .greater, .greaterOrEqual, .between: true
        default: false
        }
    }

    /// The operator with the same meaning after the sides are exchanged.
    var mirrored: ObjectPredicate.Operator? {
        switch self {
        case .equal: .equal
        case .notEqual: .notEqual
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        default: nil
        }
    }
}

extension ObjectPredicate.Quantifier {
    /// Whether the condition is true for as many of the values as the quantifier demands.
    func holds(of values: [PropertyValue], _ condition: (PropertyValue) -> Bool) -> Bool {
        switch self {
        case .direct, .any: values.contains(where: condition)
        case .all: values.allSatisfy(condition)
        case .none: !values.contains(where: condition)
        }
    }
}
