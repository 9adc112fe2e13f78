import TributaryChanges

/// Comparisons without a property, such as `1 == 1`, which have their answer before any object is looked at.
enum ConstantComparison {
    static func evaluate(
        _ left: PropertyValue,
        _ comparison: ObjectPredicate.Comparison,
        _ right: PredicateBinder.Side
    ) throws(ObjectPredicateError) -> Bool {
        let operand: BoundPredicate.Operand
        switch right {
        case .constant(.null):
            guard comparison.operation == .equal || comparison.operation == .notEqual else {
                throw ObjectPredicateError("NULL can only be compared with == and !=", keyPath: "NULL")
            }
            return left.isNull == (comparison.operation == .equal)
        case .constant(let value): operand = .constant(value)
        case .list(let values): operand = .list(values.filter { !$0.isNull })
        case .path: return false
        }
        guard !left.isNull else {
            guard case .constant = right, comparison.operation == .equal || comparison.operation == .notEqual else {
                return false
            }
            return comparison.operation == .notEqual
        }
        var matcher: StringMatcher?
        if comparison.operation.isStringOperator {
            guard left.text != nil, case .constant(let value) = operand, let text = value.text else {
                throw ObjectPredicateError(
                    "\(comparison.operation.rawValue) is for strings",
                    keyPath: "\(comparison.left)"
                )
            }
            matcher = try StringMatcher(
                comparison.operation,
                text,
                caseInsensitive: comparison.isCaseInsensitive,
                diacriticInsensitive: comparison.isDiacriticInsensitive
            )
        } else if case .constant(let value) = operand, left.compared(to: value) == nil {
            throw ObjectPredicateError(
                "\(comparison.left) and \(comparison.right) do not compare",
                keyPath: "\(comparison.left)"
            )
        }
        let bound = BoundPredicate.Comparison(
            left: .constant(left),
            operation: comparison.operation,
            right: operand,
            isCaseInsensitive: comparison.isCaseInsensitive,
            isDiacriticInsensitive: comparison.isDiacriticInsensitive,
            quantifier: .direct,
            matcher: matcher
        )
        return bound.isTrue(left, operand)
    }
}
