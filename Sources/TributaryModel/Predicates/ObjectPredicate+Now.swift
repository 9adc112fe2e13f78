import TributaryChanges

extension ObjectPredicate {
    /// Returns the predicate with `now()` replaced by a time, so that SQL and the evaluation in memory use the same
    /// one.
    package func resolvingNow(unixSeconds: Double) -> ObjectPredicate {
        switch form {
        case .always, .tooDeep: return self
        case .and(let terms): return .and(terms.map { $0.resolvingNow(unixSeconds: unixSeconds) })
        case .or(let terms): return .or(terms.map { $0.resolvingNow(unixSeconds: unixSeconds) })
        case .not(let term): return .not(term.resolvingNow(unixSeconds: unixSeconds))
        case .comparison(var comparison):
            comparison.left = comparison.left.resolvingNow(unixSeconds)
            comparison.right = comparison.right.resolvingNow(unixSeconds)
            return .comparison(comparison)
        }
    }
}

extension ObjectPredicate.Expression {
    fileprivate func resolvingNow(_ unixSeconds: Double) -> ObjectPredicate.Expression {
        switch form {
        case .function(.now, _): return .constant(.date(DateValue(unixSeconds: unixSeconds)))
        case .function(let function, let arguments):
            return .function(function, arguments.map { $0.resolvingNow(unixSeconds) })
        case .list(let values): return .list(values.map { $0.resolvingNow(unixSeconds) })
        case .subquery(var subquery):
            subquery.predicate = subquery.predicate.resolvingNow(unixSeconds: unixSeconds)
            return .subquery(subquery)
        case .constant, .keyPath, .variable, .variablePath, .tooDeep: return self
        }
    }
}
