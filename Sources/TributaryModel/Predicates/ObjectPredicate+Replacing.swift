package import TributaryChanges

extension ObjectPredicate {
    /// Returns the predicate with `now()` replaced by a time, so that SQL and the evaluation in memory use the same
    /// one.
    package func resolvingNow(_ time: WallTime) -> ObjectPredicate {
        replacing { expression, _ in
            guard case .function(.now, _) = expression.form else { return nil }
            return .constant(.date(DateValue(time)))
        }
    }

    /// Returns the replacement of an expression in the scope of the variables of subqueries; nil to keep it.
    typealias Replacement = (_ expression: Expression, _ boundVariables: Set<String>) -> Expression?

    func replacing(boundVariables: Set<String> = [], _ replacement: Replacement) -> ObjectPredicate {
        switch form {
        case .always, .tooDeep: return self
        case .and(let terms): return .and(terms.map { $0.replacing(boundVariables: boundVariables, replacement) })
        case .or(let terms): return .or(terms.map { $0.replacing(boundVariables: boundVariables, replacement) })
        case .not(let term): return .not(term.replacing(boundVariables: boundVariables, replacement))
        case .comparison(var comparison):
            comparison.left = comparison.left.replacing(boundVariables, replacement)
            comparison.right = comparison.right.replacing(boundVariables, replacement)
            return .comparison(comparison)
        }
    }
}

extension ObjectPredicate.Expression {
    fileprivate func replacing(_ boundVariables: Set<String>, _ replacement: ObjectPredicate.Replacement) -> Self {
        if let replaced = replacement(self, boundVariables) { return replaced }
        switch form {
        case .list(let values): return .list(values.map { $0.replacing(boundVariables, replacement) })
        case .function(let function, let arguments):
            return .function(function, arguments.map { $0.replacing(boundVariables, replacement) })
        case .subquery(var subquery):
            subquery.collection = subquery.collection.replacing(boundVariables, replacement)
            let inner = boundVariables.union([subquery.variable])
            subquery.predicate = subquery.predicate.replacing(boundVariables: inner, replacement)
            return .subquery(subquery)
        case .constant, .keyPath, .variable, .variablePath, .tooDeep: return self
        }
    }
}
