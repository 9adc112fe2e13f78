extension ObjectPredicate {
    /// How many levels a predicate may have, those of its expressions and subqueries included.
    ///
    /// Reading, printing, comparing, evaluating and releasing a tree take stack for each level of it.
    public static let maximumDepth = 400

    /// The parts of a predicate.
    public indirect enum Form: Sendable, Hashable {
        /// The same answer for every object: `TRUEPREDICATE`, `FALSEPREDICATE`.
        case always(Bool)
        /// All of the conditions.
        case and([ObjectPredicate])
        /// At least one of the conditions.
        case or([ObjectPredicate])
        /// The opposite of the condition.
        case not(ObjectPredicate)
        /// Two expressions compared.
        case comparison(Comparison)
        /// What a predicate with more than ``ObjectPredicate/maximumDepth`` levels becomes: only their number is left.
        case tooDeep(Int)
    }

    /// The same answer for every object: `TRUEPREDICATE`, `FALSEPREDICATE`.
    public static func always(_ answer: Bool) -> ObjectPredicate { ObjectPredicate(.always(answer), depth: 1) }

    /// All of the conditions.
    public static func and(_ terms: [ObjectPredicate]) -> ObjectPredicate {
        ObjectPredicate(.and(terms), around: terms.lazy.map(\.depth).max())
    }

    /// At least one of the conditions.
    public static func or(_ terms: [ObjectPredicate]) -> ObjectPredicate {
        ObjectPredicate(.or(terms), around: terms.lazy.map(\.depth).max())
    }

    /// The opposite of the condition.
    public static func not(_ term: ObjectPredicate) -> ObjectPredicate {
        ObjectPredicate(.not(term), around: term.depth)
    }

    /// Two expressions compared.
    public static func comparison(_ comparison: Comparison) -> ObjectPredicate {
        ObjectPredicate(.comparison(comparison), around: max(comparison.left.depth, comparison.right.depth))
    }

    private init(_ form: Form, around inner: Int?) {
        let depth = ObjectPredicate.depth(around: inner)
        self.init(depth > ObjectPredicate.maximumDepth ? .tooDeep(depth) : form, depth: depth)
    }

    /// One level more than the deepest part has.
    static func depth(around inner: Int?) -> Int {
        guard let inner else { return 1 }
        return inner == .max ? .max : inner + 1
    }
}

extension ObjectPredicate {
    /// Both conditions.
    public static func && (left: ObjectPredicate, right: ObjectPredicate) -> ObjectPredicate {
        .and(left.conjuncts + right.conjuncts)
    }

    /// At least one of the conditions.
    public static func || (left: ObjectPredicate, right: ObjectPredicate) -> ObjectPredicate {
        .or(left.disjuncts + right.disjuncts)
    }

    /// The opposite of the condition.
    public static prefix func ! (term: ObjectPredicate) -> ObjectPredicate { .not(term) }

    private var conjuncts: [ObjectPredicate] {
        if case .and(let terms) = form { terms } else { [self] }
    }

    private var disjuncts: [ObjectPredicate] {
        if case .or(let terms) = form { terms } else { [self] }
    }
}
