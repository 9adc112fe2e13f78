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
            default: throw outer.unsupported(self, "it is no range of values")
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
