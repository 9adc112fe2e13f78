import TributaryChanges

/// Turns a predicate into its bound form.
struct PredicateBinder {
    let paths: PathBinder

    func bind(_ predicate: ObjectPredicate) throws(ObjectPredicateError) -> BoundPredicate {
        switch predicate {
        case .always(let answer): return .always(answer)
        case .and(let terms): return .and(try bind(terms))
        case .or(let terms): return .or(try bind(terms))
        case .not(let term): return .not(try bind(term))
        case .comparison(let comparison): return try bind(comparison)
        }
    }

    private func bind(_ terms: [ObjectPredicate]) throws(ObjectPredicateError) -> [BoundPredicate] {
        var bound: [BoundPredicate] = []
        for term in terms { bound.append(try bind(term)) }
        return bound
    }

    /// A side whose constants are as they were given.
    enum Side {
        case constant(PropertyValue)
        case list([PropertyValue])
        case path(BoundPath)
        /// A path that ends with a to-many relationship: `projects` in `x IN projects`.
        var objects: BoundPath? {
            if case .path(let path) = self, case .identity = path.terminal, path.isToMany { path } else { nil }
        }
    }

    private func side(_ expression: ObjectPredicate.Expression) throws(ObjectPredicateError) -> Side {
        switch expression {
        case .constant(let value): return .constant(value)
        case .keyPath(let components): return .path(try paths.bind(components))
        case .variable(let name): throw ObjectPredicateError("there is no value for '$\(name)'", keyPath: "$\(name)")
        case .list(let elements):
            var values: [PropertyValue] = []
            for element in elements {
                guard case .constant(let value) = try side(element) else {
                    throw ObjectPredicateError("a list holds values only", keyPath: "\(element)")
                }
                values.append(value)
            }
            return .list(values)
        }
    }

    private func bind(_ comparison: ObjectPredicate.Comparison) throws(ObjectPredicateError) -> BoundPredicate {
        var comparison = comparison
        var left = try side(comparison.left)
        var right = try side(comparison.right)
        let operation = comparison.operation
        // `x IN path` and `path CONTAINS x` ask for an object among those at the end of the path.
        if comparison.quantifier == .direct {
            if operation == .isIn, right.objects != nil {
                comparison.operation = .equal
                comparison.quantifier = .any
                swap(&left, &right)
            } else if operation == .contains, left.objects != nil {
                comparison.operation = .equal
                comparison.quantifier = .any
            } else if operation == .isIn, case .path(let path) = right, path.kind == .string {
                comparison.operation = .contains
                swap(&left, &right)
            }
        }
        if case .path = right, comparison.quantifier == .direct, let mirrored = comparison.operation.mirrored,
            isConstant(left)
        {
            comparison.operation = mirrored
            swap(&left, &right)
        }
        switch left {
        case .path(let path): return try bind(path, comparison, right)
        case .constant(let value): return try bind(constant: value, comparison, right)
        case .list: throw ObjectPredicateError("a list stands behind IN or BETWEEN only", keyPath: "{")
        }
    }

    private func isConstant(_ side: Side) -> Bool {
        if case .constant = side { true } else { false }
    }
}
