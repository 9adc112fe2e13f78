extension ObjectPredicate {
    /// The greatest number of levels of a predicate, including its expressions and subqueries.
    ///
    /// Parsing, printing, comparing, evaluating and releasing a predicate take stack space for each level.
    public static let maximumDepth = 400

    /// The form of a predicate.
    public indirect enum Form: Sendable, Hashable {
        /// A constant result: `TRUEPREDICATE`, `FALSEPREDICATE`.
        case always(Bool)
        /// True when all of the conditions are.
        case and([ObjectPredicate])
        /// True when at least one of the conditions is.
        case or([ObjectPredicate])
        /// The negation of a condition.
        case not(ObjectPredicate)
        /// A comparison of two expressions.
        case comparison(Comparison)
        /// A predicate with more than ``ObjectPredicate/maximumDepth`` levels; only the number of levels is kept.
        case tooDeep(Int)
    }

    /// A constant result: `TRUEPREDICATE`, `FALSEPREDICATE`.
    public static func always(_ answer: Bool) -> ObjectPredicate { ObjectPredicate(.always(answer), depth: 1) }

    /// True when all of the conditions are.
    public static func and(_ terms: [ObjectPredicate]) -> ObjectPredicate {
        ObjectPredicate(.and(terms), around: terms.lazy.map(\.depth).max())
    }

    /// True when at least one of the conditions is.
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

    /// A comparison of two expressions, which is case-sensitive and diacritic-sensitive by default.
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

    /// True when both conditions are.
    public static func && (left: ObjectPredicate, right: ObjectPredicate) -> ObjectPredicate {
        .and(left.conjuncts + right.conjuncts)
    }

    /// True when at least one of the conditions is.
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
