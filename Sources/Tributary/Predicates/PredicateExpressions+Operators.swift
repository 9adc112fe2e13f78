import Foundation
import TributaryModel

extension PredicateTranslator {
    fileprivate mutating func function(
        _ function: ObjectPredicate.Function,
        _ left: Any,
        _ right: Any,
        _ part: Any
    ) throws -> [PredicateCase] {
        let outer = self
        return try pairs(left, right) { left, right in
            let arguments = [try outer.expression(of: left, in: part), try outer.expression(of: right, in: part)]
            return .value(.function(function, arguments), isOptional: false)
        }
    }
}

extension PredicateExpressions.Arithmetic: TranslatableExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> [PredicateCase] {
        let function: ObjectPredicate.Function =
            switch op {
            case .add: .add
            case .subtract: .subtract
            case .multiply: .multiply
            @unknown default: throw translator.unsupported(self, "the operator is new")
            }
        return try translator.function(function, lhs, rhs, self)
    }
}

extension PredicateExpressions.IntDivision: TranslatableExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> [PredicateCase] {
        try translator.function(.divide, lhs, rhs, self)
    }
}

extension PredicateExpressions.FloatDivision: TranslatableExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> [PredicateCase] {
        try translator.function(.divide, lhs, rhs, self)
    }
}

extension PredicateExpressions.IntRemainder: TranslatableExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> [PredicateCase] {
        try translator.function(.modulus, lhs, rhs, self)
    }
}

extension PredicateExpressions.UnaryMinus: TranslatableExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> [PredicateCase] {
        try translator.cases(wrapped).map { each in
            let zero: ObjectPredicate.Expression =
                Wrapped.Output.self == Decimal.self ? .constant(.decimal("0")) : .constant(.integer(0))
            let value = try translator.expression(of: each.term, in: self)
            return PredicateCase(
                guards: each.guards,
                term: .value(.function(.subtract, [zero, value]), isOptional: false)
            )
        }
    }
}

// MARK: Ranges

extension PredicateExpressions.Range: TranslatableExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> [PredicateCase] {
        try translator.pairs(lower, upper) { .range(lower: $0, upper: $1, includesUpper: false) }
    }
}

extension PredicateExpressions.ClosedRange: TranslatableExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> [PredicateCase] {
        try translator.pairs(lower, upper) { .range(lower: $0, upper: $1, includesUpper: true) }
    }
}

extension PredicateExpressions.RangeExpressionContains: TranslatableExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> [PredicateCase] {
        let outer = translator
        let cases = try translator.pairs(range, element) { range, element in
            let bounds: (lower: PredicateTerm?, upper: PredicateTerm?, includesUpper: Bool)
            switch range {
            case .range(let lower, let upper, let includesUpper): bounds = (lower, upper, includesUpper)
            case .captured(let captured as any CapturedRange):
                let captured = captured.bounds
                bounds = (
                    captured.lower.map(PredicateTerm.captured), captured.upper.map(PredicateTerm.captured),
                    captured.includesUpper
                )
            default: throw outer.unsupported(self, "it is not a range of values")
            }
            var conditions: [ObjectPredicate] = []
            if let lower = bounds.lower {
                conditions.append(try outer.compare(element, .greaterOrEqual, lower, self))
            }
            if let upper = bounds.upper {
                conditions.append(try outer.compare(element, bounds.includesUpper ? .lessOrEqual : .less, upper, self))
            }
            return .condition(PredicateTranslator.all(conditions))
        }
        return [PredicateCase(term: .condition(try translator.condition(of: cases, self)))]
    }
}

extension PredicateExpressions.Variable: TranslatableExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> [PredicateCase] {
        guard let term = translator.variables[key] else {
            throw translator.unsupported(self, "the variable belongs to another predicate")
        }
        return [PredicateCase(term: term)]
    }
}

extension PredicateExpressions.Value: TranslatableExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> [PredicateCase] {
        [PredicateCase(term: .captured(value))]
    }
}

extension PredicateExpressions.NilLiteral: TranslatableExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> [PredicateCase] {
        [PredicateCase(term: .nothing)]
    }
}

// MARK: Logic

extension PredicateExpressions.Conjunction: TranslatableExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> [PredicateCase] {
        [PredicateCase(term: .condition(try translator.condition(lhs) && translator.condition(rhs)))]
    }
}

extension PredicateExpressions.Disjunction: TranslatableExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> [PredicateCase] {
        [PredicateCase(term: .condition(try translator.condition(lhs) || translator.condition(rhs)))]
    }
}

extension PredicateExpressions.Negation: TranslatableExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> [PredicateCase] {
        [PredicateCase(term: .condition(!(try translator.condition(wrapped))))]
    }
}

extension PredicateExpressions.Conditional: TranslatableExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> [PredicateCase] {
        let test = try translator.condition(test)
        let (first, second) = (try translator.cases(trueBranch), try translator.cases(falseBranch))
        return first.map { $0.guarded(by: [test]) } + second.map { $0.guarded(by: [!test]) }
    }
}

// MARK: Comparisons

extension PredicateExpressions.Equal: TranslatableExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> [PredicateCase] {
        let outer = translator
        let cases = try translator.pairs(lhs, rhs) { .condition(try outer.equal($0, $1, self)) }
        return [PredicateCase(term: .condition(try translator.condition(of: cases, self)))]
    }
}

extension PredicateExpressions.NotEqual: TranslatableExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> [PredicateCase] {
        let outer = translator
        let cases = try translator.pairs(lhs, rhs) { .condition(try outer.equal($0, $1, self)) }
        return [PredicateCase(term: .condition(!(try translator.condition(of: cases, self))))]
    }
}

extension PredicateExpressions.Comparison: TranslatableExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> [PredicateCase] {
        let operation: ObjectPredicate.Operator =
            switch op {
            case .lessThan: .less
            case .lessThanOrEqual: .lessOrEqual
            case .greaterThan: .greater
            case .greaterThanOrEqual: .greaterOrEqual
            @unknown default: throw translator.unsupported(self, "the operator is new")
            }
        let outer = translator
        let cases = try translator.pairs(lhs, rhs) { .condition(try outer.compare($0, operation, $1, self)) }
        return [PredicateCase(term: .condition(try translator.condition(of: cases, self)))]
    }
}

extension PredicateExpressions.OptionalFlatMap: TranslatableExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> [PredicateCase] {
        var result: [PredicateCase] = []
        for each in try translator.cases(wrapped) {
            switch each.term {
            case .nothing: result.append(each)
            case .captured(let captured):
                guard let value = CapturedValue.unwrapped(captured) else {
                    result.append(PredicateCase(guards: each.guards, term: .nothing))
                    continue
                }
                result += try inner(.captured(value), each.guards, &translator)
            case .value(let expression, true):
                let cases = try inner(.value(expression, isOptional: false), [], &translator)
                if cases.count == 1, cases[0].guards.isEmpty, case .value(let result1, _) = cases[0].term,
                    result1.isNothing(without: expression)
                {
                    result.append(PredicateCase(guards: each.guards, term: .value(result1, isOptional: true)))
                    continue
                }
                let present = PredicateTranslator.isPresent(expression)
                result += cases.map { $0.guarded(by: each.guards + [present]) }
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
        try translator.cases(transform, with: variable, as: term).map { $0.guarded(by: guards) }
    }
}

extension PredicateExpressions.ForcedUnwrap: TranslatableExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> [PredicateCase] {
        try translator.cases(inner).map { each in
            var each = each
            switch each.term {
            case .value(let expression, _): each.term = .value(expression, isOptional: false)
            case .captured(let captured):
                let value = CapturedValue.unwrapped(captured)
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
            result += rights.map { $0.guarded(by: guards) }
        }
        for left in lefts {
            switch left.term {
            case .nothing: fallBack(left.guards)
            case .captured(let captured):
                if let value = CapturedValue.unwrapped(captured) {
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

protocol CapturedRange {
    var bounds: (lower: Any?, upper: Any?, includesUpper: Bool) { get }
}

extension Range: CapturedRange {
    var bounds: (lower: Any?, upper: Any?, includesUpper: Bool) { (lowerBound, upperBound, false) }
}

extension ClosedRange: CapturedRange {
    var bounds: (lower: Any?, upper: Any?, includesUpper: Bool) { (lowerBound, upperBound, true) }
}

extension PartialRangeFrom: CapturedRange {
    var bounds: (lower: Any?, upper: Any?, includesUpper: Bool) { (lowerBound, nil, true) }
}

extension PartialRangeThrough: CapturedRange {
    var bounds: (lower: Any?, upper: Any?, includesUpper: Bool) { (nil, upperBound, true) }
}

extension PartialRangeUpTo: CapturedRange {
    var bounds: (lower: Any?, upper: Any?, includesUpper: Bool) { (nil, upperBound, false) }
}
