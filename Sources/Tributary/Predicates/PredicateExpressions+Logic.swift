import Foundation
import TributaryModel

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
        return first.map { PredicateCase(guards: [test] + $0.guards, term: $0.term) }
            + second.map { PredicateCase(guards: [!test] + $0.guards, term: $0.term) }
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
