public import TributaryChanges

/// A condition on objects, with the same result in SQL and in memory.
///
/// ```swift
/// let rich = try ObjectPredicate(parsing: "salary > %d AND department.name BEGINSWITH[c] 'r'", arguments: [1000])
/// ```
///
/// The semantics of comparisons are the same in SQL and in memory:
///
/// - **Null.** `x == NULL` is true when `x` has no value, `x != NULL` when it has a value. Every other comparison with
///   a null side is false (`x != 5` too). Logic is two-valued: NOT of false is true. A NULL in a list equals nothing. A
///   path through an empty to-one relationship is null; `@count` is 0 there.
/// - **Numbers** compare by value, integers with doubles exactly, and decimals by all their digits.
/// - **Dates** compare as Unix seconds; the number 0 is 1970-01-01T00:00:00Z. A text such as `'2026-11-21'` or
///   `'2026-11-21T10:30:00Z'` is a date when the other side is a date attribute.
/// - **Strings** are equal when their UTF-8 bytes are equal, and are ordered by these bytes, which is the order of
///   Unicode scalars. `[c]` compares both sides in lower case, scalar by scalar. `[d]` compares them after canonical
///   decomposition and without nonspacing marks. In a LIKE pattern `*` matches any number of scalars and `?` a single
///   scalar; `\\*` and `\\?` are the characters themselves. MATCHES has an ICU regular expression for the whole string;
///   it is false for a string that takes more than ten million steps.
/// - **Paths** have at most 30 relationships.
/// - **Depth.** A predicate has at most ``maximumDepth`` levels. A deeper predicate keeps only the number of its levels
///   (see ``Form-swift.enum/tooDeep(_:)``), and every use of it throws ``ObjectPredicateError``.
/// - **Identity.** UUIDs compare by their bytes. To-one relationships and SELF are compared by the object's UUID. Both
///   are written as strings.
/// - **To-many paths** need ANY (or SOME), ALL or NONE, which apply to the values of the path, object by object.
///   Without values ALL is true and ANY false. `x IN path` and `path CONTAINS x` are equivalent to `ANY path == x`.
/// - **Booleans** compare for equality only; the constants 1 and 0 are TRUE and FALSE.
/// - **Aggregates.** `projects.@count`, `projects.@sum.hours` (also written `projects.hours.@sum`), `@min`, `@max` and
///   `@avg` ignore nulls. Without values `@count` and `@sum` are 0, the others are null. `@avg` is a double.
/// - **Arithmetic.** Integers stay integers, and a division truncates (`7 / 2` is 3). With a double operand the result
///   is a double; `**` always returns a double. Decimals are exact and cannot be divided. A date plus or minus seconds
///   is a date. Overflows, divisions by zero and results with more than 38 digits are null.
/// - **Casts.** `CAST(x, 'NSNumber')` of a date, and `'NSDate'` of a number, use seconds since 2001-01-01, as in Core
///   Data. `'NSString'` and `'NSDecimalNumber'` are valid too. A failed cast is null. `length:` is the number of
///   Unicode scalars.
/// - **Entities.** `entity == 'Foreman'` compares the name of the object's own entity; objects of sub-entities do not
///   match.
/// - **Binary, transformable and composite** values compare with NULL only.
public struct ObjectPredicate: Sendable, Hashable {
    /// The form of the tree's root.
    public let form: Form
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
        ///
        /// - Parameters:
        ///   - left: The left expression.
        ///   - operation: The operator.
        ///   - right: The right expression.
        ///   - caseInsensitive: Whether strings are compared in lower case.
        ///   - diacriticInsensitive: Whether strings are compared without diacritics.
        ///   - quantifier: The quantifier of a to-many key path on the left side.
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
        let depth: Int

        init(_ form: Form, depth: Int) {
            self.form = form
            self.depth = depth
        }
    }

    /// An operator of a comparison.
    public enum Operator: String, Sendable, Hashable, CaseIterable {
        case equal = "=="
        case notEqual = "!="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
        case isIn = "IN"
        /// From the first to the second of two bounds, both included.
        case between = "BETWEEN"
        case beginsWith = "BEGINSWITH"
        case endsWith = "ENDSWITH"
        case contains = "CONTAINS"
        /// The string matches a pattern with `*` and `?`.
        case like = "LIKE"
        /// The whole string matches a regular expression.
        case matches = "MATCHES"
    }

    /// The number of objects at the end of a to-many path that must satisfy a comparison.
    public enum Quantifier: String, Sendable, Hashable, CaseIterable {
        /// No quantifier: the path has one value.
        case direct
        case any = "ANY"
        /// Every object; true without objects.
        case all = "ALL"
        case none = "NONE"
    }
}

extension ObjectPredicate.Operator {
    package var isStringOperator: Bool {
        switch self {
        case .beginsWith, .endsWith, .contains, .like, .matches: true
        default: false
        }
    }

    package var isOrder: Bool {
        switch self {
        case .less, .lessOrEqual, .greater, .greaterOrEqual, .between: true
        default: false
        }
    }

    /// `order` is below 0, 0 or above 0; the result is false for an operator that does not compare two values.
    package func holds(for order: Int) -> Bool {
        switch self {
        case .equal: order == 0
        case .notEqual: order != 0
        case .less: order < 0
        case .lessOrEqual: order <= 0
        case .greater: order > 0
        case .greaterOrEqual: order >= 0
        default: false
        }
    }

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

extension ObjectPredicate.Comparison {
    var folding: StringFolding {
        var folding: StringFolding = isCaseInsensitive ? .caseInsensitive : []
        if isDiacriticInsensitive { folding.insert(.diacriticInsensitive) }
        return folding
    }
}

extension ObjectPredicate.Quantifier {
    func holds(of values: [PropertyValue], _ condition: (PropertyValue) -> Bool) -> Bool {
        switch self {
        case .direct, .any: values.contains(where: condition)
        case .all: values.allSatisfy(condition)
        case .none: !values.contains(where: condition)
        }
    }
}

extension ObjectPredicate {
    /// The greatest number of levels of a predicate, including its expressions and subqueries.
    ///
    /// Parsing, printing, comparing, evaluating and releasing a predicate take stack space for each level.
    public static let maximumDepth = 400

    /// The form of a predicate.
    public indirect enum Form: Sendable, Hashable {
        /// A constant result: `TRUEPREDICATE`, `FALSEPREDICATE`.
        case always(Bool)
        case and([ObjectPredicate])
        case or([ObjectPredicate])
        case not(ObjectPredicate)
        case comparison(Comparison)
        /// A predicate with more than ``ObjectPredicate/maximumDepth`` levels; only the number of levels is kept.
        case tooDeep(Int)
    }

    /// A constant result: `TRUEPREDICATE`, `FALSEPREDICATE`.
    public static func always(_ answer: Bool) -> ObjectPredicate { ObjectPredicate(.always(answer), depth: 1) }

    /// True when all of the conditions are true.
    public static func and(_ terms: [ObjectPredicate]) -> ObjectPredicate {
        ObjectPredicate(.and(terms), around: terms.lazy.map(\.depth).max())
    }

    /// True when at least one of the conditions is true.
    public static func or(_ terms: [ObjectPredicate]) -> ObjectPredicate {
        ObjectPredicate(.or(terms), around: terms.lazy.map(\.depth).max())
    }

    /// The negation of a condition.
    public static func not(_ term: ObjectPredicate) -> ObjectPredicate {
        ObjectPredicate(.not(term), around: term.depth)
    }

    /// A comparison of two expressions.
    public static func comparison(_ comparison: Comparison) -> ObjectPredicate {
        ObjectPredicate(.comparison(comparison), around: max(comparison.left.depth, comparison.right.depth))
    }

    package static func comparison(
        _ left: Expression,
        _ operation: Operator,
        _ right: Expression,
        caseInsensitive: Bool = false,
        diacriticInsensitive: Bool = false,
        quantifier: Quantifier = .direct
    ) -> ObjectPredicate {
        .comparison(
            Comparison(
                left,
                operation,
                right,
                caseInsensitive: caseInsensitive,
                diacriticInsensitive: diacriticInsensitive,
                quantifier: quantifier
            )
        )
    }

    private init(_ form: Form, around inner: Int?) {
        let depth = ObjectPredicate.depth(around: inner)
        self.init(depth > ObjectPredicate.maximumDepth ? .tooDeep(depth) : form, depth: depth)
    }

    static func depth(around inner: Int?) -> Int {
        guard let inner else { return 1 }
        return inner == .max ? .max : inner + 1
    }

    /// True when both conditions are true.
    public static func && (left: ObjectPredicate, right: ObjectPredicate) -> ObjectPredicate {
        .and(left.conjuncts + right.conjuncts)
    }

    /// True when at least one of the conditions is true.
    public static func || (left: ObjectPredicate, right: ObjectPredicate) -> ObjectPredicate {
        .or(left.disjuncts + right.disjuncts)
    }

    /// The negation of a condition.
    public static prefix func ! (term: ObjectPredicate) -> ObjectPredicate { .not(term) }

    private var conjuncts: [ObjectPredicate] {
        if case .and(let terms) = form { terms } else { [self] }
    }

    private var disjuncts: [ObjectPredicate] {
        if case .or(let terms) = form { terms } else { [self] }
    }
}

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
        case function(ObjectPredicate.Function, [ObjectPredicate.Expression])
        case subquery(ObjectPredicate.Subquery)
        /// More than ``ObjectPredicate/maximumDepth`` levels; only their number is kept.
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

extension ObjectPredicate {
    /// Replaces `now()`, so that SQL and the evaluation in memory use the same time.
    package func resolvingNow(_ time: WallTime) -> ObjectPredicate {
        replacing { expression, _ in
            guard case .function(.now, _) = expression.form else { return nil }
            return .constant(.date(DateValue(time)))
        }
    }

    typealias Replacement = (_ expression: Expression, _ boundVariables: Set<String>) -> Expression?

    func replacing(boundVariables: Set<String> = [], _ replacement: Replacement) -> ObjectPredicate {
        switch form {
        case .always, .tooDeep: return self
        case .and(let terms): return .and(terms.map { $0.replacing(boundVariables: boundVariables, replacement) })
        case .or(let terms): return .or(terms.map { $0.replacing(boundVariables: boundVariables, replacement) })
        case .not(let term): return .not(term.replacing(boundVariables: boundVariables, replacement))
        case .comparison(var comparison):
            comparison.left = comparison.left.replacing(boundVariables, replacement)
            comparison.right = comparison.right.replacing(boundVariables, replacement)
            return .comparison(comparison)
        }
    }
}

extension ObjectPredicate.Expression {
    fileprivate func replacing(_ boundVariables: Set<String>, _ replacement: ObjectPredicate.Replacement) -> Self {
        if let replaced = replacement(self, boundVariables) { return replaced }
        switch form {
        case .list(let values): return .list(values.map { $0.replacing(boundVariables, replacement) })
        case .function(let function, let arguments):
            return .function(function, arguments.map { $0.replacing(boundVariables, replacement) })
        case .subquery(var subquery):
            subquery.collection = subquery.collection.replacing(boundVariables, replacement)
            let inner = boundVariables.union([subquery.variable])
            subquery.predicate = subquery.predicate.replacing(boundVariables: inner, replacement)
            return .subquery(subquery)
        case .constant, .keyPath, .variable, .variablePath, .tooDeep: return self
        }
    }
}
