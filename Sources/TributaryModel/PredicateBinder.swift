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

    // MARK: A path on the left

    private func bind(
        _ path: BoundPath,
        _ comparison: ObjectPredicate.Comparison,
        _ right: Side
    ) throws(ObjectPredicateError) -> BoundPredicate {
        let operation = comparison.operation
        if path.isToMany, comparison.quantifier == .direct {
            throw ObjectPredicateError("the path is to-many: it needs ANY, ALL or NONE before it", keyPath: path.text)
        }
        if !path.isToMany, comparison.quantifier != .direct {
            throw ObjectPredicateError(
                "\(comparison.quantifier.rawValue) needs a path through a to-many relationship",
                keyPath: path.text
            )
        }
        if case .constant(.null) = right {
            guard operation == .equal || operation == .notEqual else {
                throw ObjectPredicateError("NULL can only be compared with == and !=", keyPath: path.text)
            }
            return .nullTest(path, isNull: operation == .equal, quantifier: comparison.quantifier)
        }
        try check(operation, fits: path)
        let hasOptions = comparison.isCaseInsensitive || comparison.isDiacriticInsensitive
        if hasOptions, path.kind != .string {
            throw ObjectPredicateError("[c] and [d] are for strings", keyPath: path.text)
        }
        let operand = try operand(right, for: path, operation)
        var matcher: StringMatcher?
        if operation.isStringOperator, case .constant(let value) = operand, let text = value.text {
            matcher = try StringMatcher(
                operation,
                text,
                caseInsensitive: comparison.isCaseInsensitive,
                diacriticInsensitive: comparison.isDiacriticInsensitive
            )
        }
        return .comparison(
            BoundPredicate.Comparison(
                left: .path(path),
                operation: operation,
                right: operand,
                isCaseInsensitive: comparison.isCaseInsensitive,
                isDiacriticInsensitive: comparison.isDiacriticInsensitive,
                quantifier: comparison.quantifier,
                matcher: matcher
            )
        )
    }

    private func check(
        _ operation: ObjectPredicate.Operator,
        fits path: BoundPath
    ) throws(ObjectPredicateError) {
        let name = operation.rawValue
        switch path.kind {
        case .opaque:
            throw ObjectPredicateError("binary and composite values can only be compared with NULL", keyPath: path.text)
        case .boolean where operation.isOrder, .reference where operation.isOrder:
            throw ObjectPredicateError("'\(path.text)' has no order for \(name)", keyPath: path.text)
        case .string: break
        case _ where operation.isStringOperator:
            throw ObjectPredicateError("\(name) is for strings, '\(path.text)' is none", keyPath: path.text)
        default: break
        }
    }

    private func operand(
        _ right: Side,
        for path: BoundPath,
        _ operation: ObjectPredicate.Operator
    ) throws(ObjectPredicateError) -> BoundPredicate.Operand {
        let takesList = operation == .isIn || operation == .between
        switch right {
        case .constant(let value):
            guard !takesList else {
                throw ObjectPredicateError("\(operation.rawValue) needs a list: {1, 2}", keyPath: path.text)
            }
            return .constant(try ConstantCoercion.coerce(value, for: path))
        case .list(let values):
            guard takesList else {
                throw ObjectPredicateError("\(operation.rawValue) takes one value, not a list", keyPath: path.text)
            }
            if operation == .between, values.count != 2 || values.contains(.null) {
                throw ObjectPredicateError("BETWEEN takes two bounds", keyPath: path.text)
            }
            var coerced: [PropertyValue] = []
            for value in values where !value.isNull { coerced.append(try ConstantCoercion.coerce(value, for: path)) }
            return .list(coerced)
        case .path(let other):
            guard !takesList, operation != .matches else {
                throw ObjectPredicateError(
                    "\(operation.rawValue) needs values behind it, not a path",
                    keyPath: other.text
                )
            }
            guard !other.isToMany else {
                throw ObjectPredicateError("a to-many path stands on the left only", keyPath: other.text)
            }
            guard other.kind == path.kind else {
                throw ObjectPredicateError("'\(path.text)' and '\(other.text)' do not compare", keyPath: other.text)
            }
            return .path(other)
        }
    }

    // MARK: A constant on the left

    private func bind(
        constant: PropertyValue,
        _ comparison: ObjectPredicate.Comparison,
        _ right: Side
    ) throws(ObjectPredicateError) -> BoundPredicate {
        guard comparison.quantifier == .direct else {
            throw ObjectPredicateError(
                "\(comparison.quantifier.rawValue) needs a path behind it",
                keyPath: "\(comparison.left)"
            )
        }
        switch right {
        case .constant, .list:
            return .always(try ConstantComparison.evaluate(constant, comparison, right))
        case .path(let path):
            guard comparison.operation.isStringOperator, comparison.operation != .matches, path.kind == .string,
                constant.text != nil
            else {
                throw ObjectPredicateError("\(comparison.operation.rawValue) does not fit", keyPath: path.text)
            }
            guard !path.isToMany else {
                throw ObjectPredicateError("a to-many path stands on the left only", keyPath: path.text)
            }
            return .comparison(
                BoundPredicate.Comparison(
                    left: .constant(constant),
                    operation: comparison.operation,
                    right: .path(path),
                    isCaseInsensitive: comparison.isCaseInsensitive,
                    isDiacriticInsensitive: comparison.isDiacriticInsensitive,
                    quantifier: .direct,
                    matcher: nil
                )
            )
        }
    }
}

extension ObjectPredicate.Operator {
    /// Whether it is one of BEGINSWITH, ENDSWITH, CONTAINS, LIKE and MATCHES.
    package var isStringOperator: Bool {
        switch self {
        case .beginsWith, .endsWith, .contains, .like, .matches: true
        default: false
        }
    }

    /// Whether it needs values with an order.
    package var isOrder: Bool {
        switch self {
        case .less, .lessOrEqual, .greater, .greaterOrEqual, .between: true
        default: false
        }
    }

    /// The operator that means the same with its sides exchanged.
    fileprivate var mirrored: ObjectPredicate.Operator? {
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

extension PropertyValue {
    /// The text of a string or a URI.
    package var text: String? {
        switch self {
        case .string(let text), .uri(let text): text
        default: nil
        }
    }
}
