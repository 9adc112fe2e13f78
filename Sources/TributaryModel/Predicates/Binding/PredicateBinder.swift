import TributaryChanges

struct PredicateBinder {
    typealias Operand = BoundPredicate.Operand

    let model: Model
    /// The objects at which paths can start: the evaluated object, then the objects of the enclosing subqueries.
    let scopes: [(variable: String?, entity: Entity)]

    func bind(_ predicate: ObjectPredicate) throws(ObjectPredicateError) -> BoundPredicate {
        switch predicate.form {
        case .always(let answer): return .always(answer)
        case .and(let terms): return .and(try bind(terms))
        case .or(let terms): return .or(try bind(terms))
        case .not(let term): return .not(try bind(term))
        case .comparison(let comparison): return try bind(comparison)
        case .tooDeep(let depth): throw ObjectPredicateError(depth: depth)
        }
    }

    private func bind(_ terms: [ObjectPredicate]) throws(ObjectPredicateError) -> [BoundPredicate] {
        var bound: [BoundPredicate] = []
        for term in terms { bound.append(try bind(term)) }
        return bound
    }

    private func bind(_ comparison: ObjectPredicate.Comparison) throws(ObjectPredicateError) -> BoundPredicate {
        var comparison = comparison
        var left = try operand(comparison.left)
        var right = try operand(comparison.right)
        if comparison.quantifier == .direct {
            let operation = comparison.operation
            // `x IN path` and `path CONTAINS x` both compare `x` with each value of the path.
            if operation == .isIn, right.isToMany {
                comparison.operation = .equal
                comparison.quantifier = .any
                swap(&left, &right)
                swap(&comparison.left, &comparison.right)
            } else if operation == .contains, left.isToMany {
                comparison.operation = .equal
                comparison.quantifier = .any
            } else if operation == .isIn, right.kind == .string, !isConstant(right) {
                comparison.operation = .contains
                swap(&left, &right)
                swap(&comparison.left, &comparison.right)
            } else if isConstant(left), !isConstant(right), let mirrored = operation.mirrored {
                comparison.operation = mirrored
                swap(&left, &right)
                swap(&comparison.left, &comparison.right)
            }
        }
        return try bind(left, comparison, right)
    }

    func isConstant(_ operand: Operand) -> Bool {
        switch operand {
        case .constant, .list: true
        case .path, .function: false
        }
    }
}
