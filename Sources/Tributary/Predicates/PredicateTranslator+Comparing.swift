import TributaryChanges
import TributaryModel

extension PredicateTranslator {
    /// Translates `==` of Swift, in which two missing values are equal.
    func equal(_ left: PredicateTerm, _ right: PredicateTerm, _ part: Any) throws -> ObjectPredicate {
        switch (left, right) {
        case (.condition(let first), .condition(let second)): return (first && second) || (!first && !second)
        case (.condition(let condition), let other), (let other, .condition(let condition)):
            return try equal(condition, other, part)
        case (.folded, _), (_, .folded): return try text(left, .equal, right, part)
        default: break
        }
        let (first, second) = (try expression(of: left, in: part), try expression(of: right, in: part))
        switch (first.form, second.form) {
        case (.constant(let first), .constant(let second)):
            return .always(first == second || first.compared(to: second) == 0)
        case (.constant(.null), _):
            return isOptional(left) || isOptional(right) ? PredicateTranslator.isMissing(second) : .always(false)
        case (_, .constant(.null)):
            return isOptional(left) || isOptional(right) ? PredicateTranslator.isMissing(first) : .always(false)
        default: break
        }
        let same = ObjectPredicate.comparison(first, .equal, second)
        guard isOptional(left), isOptional(right) else { return same }
        return same || (PredicateTranslator.isMissing(first) && PredicateTranslator.isMissing(second))
    }

    private func equal(
        _ condition: ObjectPredicate,
        _ other: PredicateTerm,
        _ part: Any
    ) throws -> ObjectPredicate {
        switch other {
        case .nothing: return .always(false)
        case .captured(let captured):
            switch CapturedValue.value(captured) {
            case .boolean(true)?: return condition
            case .boolean(false)?: return !condition
            case .null?: return .always(false)
            default: throw unsupported(part, "its sides do not compare")
            }
        case .value(let value, _):
            func isValue(_ answer: Bool) -> ObjectPredicate {
                .comparison(value, .equal, .constant(.boolean(answer)))
            }
            return (condition && isValue(true)) || (!condition && isValue(false))
        default: throw unsupported(part, "its sides do not compare")
        }
    }

    /// Translates `<`, `<=`, `>` or `>=`; the result is false when a side is missing.
    func compare(
        _ left: PredicateTerm,
        _ operation: ObjectPredicate.Operator,
        _ right: PredicateTerm,
        _ part: Any
    ) throws -> ObjectPredicate {
        let (first, second) = (try expression(of: left, in: part), try expression(of: right, in: part))
        switch (first.form, second.form) {
        case (.constant(let first), .constant(let second)):
            guard let order = first.compared(to: second) else { return .always(false) }
            return switch operation {
            case .less: .always(order < 0)
            case .lessOrEqual: .always(order <= 0)
            case .greater: .always(order > 0)
            default: .always(order >= 0)
            }
        case (.constant(.null), _), (_, .constant(.null)): return .always(false)
        default: return .comparison(first, operation, second)
        }
    }

    /// Compares two strings; case and diacritics are ignored when both sides are folded.
    func text(
        _ left: PredicateTerm,
        _ operation: ObjectPredicate.Operator,
        _ right: PredicateTerm,
        _ part: Any
    ) throws -> ObjectPredicate {
        let isFolded: Bool
        let (first, second): (ObjectPredicate.Expression, ObjectPredicate.Expression)
        switch (left, right) {
        case (.folded(let one), .folded(let other)): (first, second, isFolded) = (one, other, true)
        case (.folded, _), (_, .folded): throw unsupported(part, "only one side is without case and diacritics")
        default:
            first = try expression(of: left, in: part)
            second = try expression(of: right, in: part)
            isFolded = false
        }
        if case .constant(.null) = first.form { return .always(false) }
        if case .constant(.null) = second.form { return .always(false) }
        return .comparison(
            first,
            operation,
            second,
            caseInsensitive: isFolded,
            diacriticInsensitive: isFolded
        )
    }

    private func isOptional(_ term: PredicateTerm) -> Bool {
        switch term {
        case .value(_, let isOptional): isOptional
        case .nothing: true
        default: false
        }
    }
}
