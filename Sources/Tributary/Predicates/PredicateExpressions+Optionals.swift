import Foundation
import TributaryModel

extension PredicateExpressions.OptionalFlatMap: TranslatableExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> [PredicateCase] {
        var result: [PredicateCase] = []
        for each in try translator.cases(wrapped) {
            switch each.term {
            case .nothing: result.append(each)
            case .captured(let captured):
                guard let value = (captured as? any AnyOptional).map(\.wrapped) ?? captured else {
                    result.append(PredicateCase(guards: each.guards, term: .nothing))
                    continue
                }
                result += try inner(.captured(value), each.guards, &translator)
            case .value(let expression, true):
                let cases = try inner(.value(expression, isOptional: false), [], &translator)
                // A path through a missing value has no value itself, so it needs no guard.
                if cases.count == 1, cases[0].guards.isEmpty, case .value(let result1, _) = cases[0].term,
                    result1.isNothing(without: expression)
                {
                    result.append(PredicateCase(guards: each.guards, term: .value(result1, isOptional: true)))
                    continue
                }
                let present = PredicateTranslator.isPresent(expression)
                result += cases.map { PredicateCase(guards: each.guards + [present] + $0.guards, term: $0.term) }
                result.append(
                    PredicateCase(guards: each.guards + [PredicateTranslator.isMissing(expression)], term: .nothing)
                )
            default: result += try inner(each.term, each.guards, &translator)
            }
        }
        return result
    }

    private func inner(
        _ term: PredicateTerm,
        _ guards: [ObjectPredicate],
        _ translator: inout PredicateTranslator
    ) throws -> [PredicateCase] {
        try translator.cases(transform, with: variable, as: term)
            .map { PredicateCase(guards: guards + $0.guards, term: $0.term) }
    }
}

extension PredicateExpressions.ForcedUnwrap: TranslatableExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> [PredicateCase] {
        try translator.cases(inner).map { each in
            var each = each
            switch each.term {
            case .value(let expression, _): each.term = .value(expression, isOptional: false)
            case .captured(let captured):
                let value = (captured as? any AnyOptional).map(\.wrapped) ?? captured
                each.term = value.map(PredicateTerm.captured) ?? .nothing
            default: break
            }
            return each
        }
    }
}

extension PredicateExpressions.NilCoalesce: TranslatableExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> [PredicateCase] {
        let (lefts, rights) = (try translator.cases(lhs), try translator.cases(rhs))
        var result: [PredicateCase] = []
        func fallBack(_ guards: [ObjectPredicate]) {
            result += rights.map { PredicateCase(guards: guards + $0.guards, term: $0.term) }
        }
        for left in lefts {
            switch left.term {
            case .nothing: fallBack(left.guards)
            case .captured(let captured):
                if let value = (captured as? any AnyOptional).map(\.wrapped) ?? captured {
                    result.append(PredicateCase(guards: left.guards, term: .captured(value)))
                } else {
                    fallBack(left.guards)
                }
            case .value(let expression, true):
                let present = PredicateTranslator.isPresent(expression)
                result.append(
                    PredicateCase(guards: left.guards + [present], term: .value(expression, isOptional: false))
                )
                fallBack(left.guards + [PredicateTranslator.isMissing(expression)])
            default: result.append(left)
            }
        }
        return result
    }
}
