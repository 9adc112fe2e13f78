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
