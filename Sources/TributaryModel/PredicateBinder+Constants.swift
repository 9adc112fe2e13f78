import TributaryChanges

/// Comparisons with a constant on the left.
extension PredicateBinder {
    func bind(
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
