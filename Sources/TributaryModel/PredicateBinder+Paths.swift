import TributaryChanges

/// Comparisons with a path on the left.
extension PredicateBinder {
    func bind(
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
}
