public import Foundation
import TributaryChanges
import TributaryModel

extension PredicateExpressions.CollectionContainsCollection: TranslatableExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> [PredicateCase] {
        guard Base.Output.Element.self == Character.self else {
            throw translator.unsupported(self, "only strings contain strings")
        }
        let outer = translator
        return try translator.pairs(base, other) { .condition(try outer.text($0, .contains, $1, self)) }
    }
}

extension PredicateExpressions.SequenceStartsWith: TranslatableExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> [PredicateCase] {
        guard Base.Output.Element.self == Character.self else {
            throw translator.unsupported(self, "only strings start with strings")
        }
        let outer = translator
        return try translator.pairs(base, prefix) { .condition(try outer.text($0, .beginsWith, $1, self)) }
    }
}

extension PredicateExpressions.SequenceContains: TranslatableExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> [PredicateCase] {
        let outer = translator
        if LHS.Output.Element.self == Character.self {
            return try translator.pairs(sequence, element) { .condition(try outer.text($0, .contains, $1, self)) }
        }
        let cases = try translator.pairs(sequence, element) { list, element in
            switch list {
            case .captured(let captured): return .condition(try outer.isIn(captured, element, self))
            case .objects(let path, nil, nil):
                let object = try outer.expression(of: element, in: self)
                return .condition(.comparison(path, .equal, object, quantifier: .any))
            default: throw outer.unsupported(self, "only relationships and captured values contain something")
            }
        }
        return [PredicateCase(term: .condition(try translator.condition(of: cases, self)))]
    }
}

extension PredicateTranslator {
    /// A missing element matches nil.
    fileprivate func isIn(_ captured: Any, _ element: PredicateTerm, _ part: Any) throws -> ObjectPredicate {
        guard let elements = CapturedValue.elements(captured, limit: .max - 1) else {
            throw unsupported(part, "\(type(of: captured)) is not a list of values")
        }
        var values: [PropertyValue] = []
        for each in elements {
            guard let value = CapturedValue.value(each) else {
                throw unsupported(part, "no attribute has values of the type \(type(of: each))")
            }
            values.append(value)
        }
        let expression = try expression(of: element, in: part)
        if case .constant(let constant) = expression.form {
            return .always(values.contains { $0 == constant || $0.compared(to: constant) == 0 })
        }
        let present = values.filter { !$0.isNull }.map(ObjectPredicate.Expression.constant)
        var result: ObjectPredicate =
            present.isEmpty ? .always(false) : .comparison(expression, .isIn, .list(present))
        if present.count < values.count, case .value(_, true) = element {
            result = result || PredicateTranslator.isMissing(expression)
        }
        return result
    }

    fileprivate mutating func test<Element>(
        _ sequence: Any,
        _ variable: PredicateExpressions.Variable<Element>,
        _ test: Any,
        isForAll: Bool,
        _ part: Any
    ) throws -> [PredicateCase] {
        var result: [PredicateCase] = []
        for each in try cases(sequence) {
            let condition: ObjectPredicate
            switch each.term {
            case .objects(let path, let known, let filter):
                let name = known ?? newName()
                let inner = try cases(test, with: variable, as: .value(.variable(name), isOptional: false))
                let found = try self.condition(of: inner, part)
                let wanted = isForAll ? !found : found
                let both = filter.map { $0 && wanted } ?? wanted
                let subquery = ObjectPredicate.Subquery(path, variable: name, where: both)
                condition = .comparison(.subquery(subquery), isForAll ? .equal : .greater, .constant(.integer(0)))
            case .captured(let captured):
                let limit = PredicateTranslator.elementLimit
                guard let elements = CapturedValue.elements(captured, limit: limit), elements.count <= limit else {
                    throw unsupported(part, "\(type(of: captured)) is not a list of at most \(limit) values")
                }
                var answers: [ObjectPredicate] = []
                for element in elements {
                    answers.append(try self.condition(of: cases(test, with: variable, as: .captured(element)), part))
                }
                condition = isForAll ? PredicateTranslator.all(answers) : PredicateTranslator.any(answers)
            default: throw unsupported(part, "only relationships and captured values have elements")
            }
            result.append(PredicateCase(guards: each.guards, term: .condition(condition)))
        }
        return result
    }
}

extension PredicateExpressions.SequenceContainsWhere: TranslatableExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> [PredicateCase] {
        try translator.test(sequence, variable, test, isForAll: false, self)
    }
}

extension PredicateExpressions.SequenceAllSatisfy: TranslatableExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> [PredicateCase] {
        try translator.test(sequence, variable, test, isForAll: true, self)
    }
}

extension PredicateExpressions.Filter: TranslatableExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> [PredicateCase] {
        var result: [PredicateCase] = []
        for each in try translator.cases(sequence) {
            guard case .objects(let path, let known, let old) = each.term else {
                throw translator.unsupported(self, "only relationships are filtered")
            }
            let name = known ?? translator.newName()
            let inner = try translator.cases(filter, with: variable, as: .value(.variable(name), isOptional: false))
            let condition = try translator.condition(of: inner, self)
            let both = old.map { $0 && condition } ?? condition
            result.append(PredicateCase(guards: each.guards, term: .objects(path, variable: name, both)))
        }
        return result
    }
}

extension PredicateExpressions {
    /// Builds the expression of `localizedStandardContains` in `#Predicate`, which Foundation for Linux lacks.
    ///
    /// It ignores case and diacritics, without a locale, as `CONTAINS[cd]` does in the format language.
    public static func build_localizedStandardContains<Root: PredicateExpression, Other: PredicateExpression>(
        _ root: Root,
        _ other: Other
    ) -> CollectionContainsCollection<KeyPath<Root, String>, KeyPath<Other, String>>
    where Root.Output == String, Other.Output == String {
        build_contains(
            build_KeyPath(root: root, keyPath: \.foldedForSearch),
            build_KeyPath(root: other, keyPath: \.foldedForSearch)
        )
    }
}

extension String {
    var foldedForSearch: String {
        StringFolding([.caseInsensitive, .diacriticInsensitive]).fold(self)
    }
}
