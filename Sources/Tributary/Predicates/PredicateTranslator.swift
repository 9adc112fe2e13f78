import Foundation
import TributaryChanges
import TributaryModel

/// Translates the tree of a `#Predicate` into an `ObjectPredicate`.
///
/// Optionals need more than a change of names: a part that may be nil is split into cases, each with the condition
/// under which it holds, and comparisons are made case by case.
struct PredicateTranslator {
    private(set) var variables: [PredicateExpressions.VariableID: PredicateTerm] = [:]
    private var names = 0
    static let caseLimit = 128
    /// The maximum number of captured elements in `contains { }`; a predicate with more is refused.
    static let elementLimit = 1_000

    static func translate(
        _ expression: any PredicateExpression<Bool>,
        of variable: PredicateExpressions.VariableID
    ) throws(ObjectPredicateError) -> ObjectPredicate {
        var translator = PredicateTranslator()
        translator.variables[variable] = .value(.keyPath([]), isOptional: false)
        do {
            return try translator.condition(expression)
        } catch let error as ObjectPredicateError {
            throw error
        } catch {
            throw ObjectPredicateError("the predicate cannot be translated: \(error)")
        }
    }

    mutating func cases(_ expression: Any) throws -> [PredicateCase] {
        guard let node = expression as? any TranslatableExpression else {
            throw unsupported(expression, "it has no counterpart in a fetch")
        }
        let cases = try node.translate(&self)
        guard cases.count <= PredicateTranslator.caseLimit else {
            throw unsupported(expression, "it has more than \(PredicateTranslator.caseLimit) cases")
        }
        return cases
    }

    mutating func condition(_ expression: Any) throws -> ObjectPredicate {
        try condition(of: cases(expression), expression)
    }

    func condition(of cases: [PredicateCase], _ expression: Any) throws -> ObjectPredicate {
        var alternatives: [ObjectPredicate] = []
        for each in cases {
            let term = try condition(of: each.term, expression)
            switch term.form {
            case .always(false): continue
            case .always(true) where each.guards.isEmpty: return .always(true)
            case .always(true): alternatives.append(PredicateTranslator.all(each.guards))
            default: alternatives.append(PredicateTranslator.all(each.guards + [term]))
            }
        }
        return PredicateTranslator.any(alternatives)
    }

    func condition(of term: PredicateTerm, _ expression: Any) throws -> ObjectPredicate {
        switch term {
        case .condition(let condition): return condition
        case .nothing: return .always(false)
        case .captured(let value):
            switch CapturedValue.value(value) {
            case .boolean(let answer)?: return .always(answer)
            case .null?: return .always(false)
            default: throw unsupported(expression, "it is not true or false")
            }
        case .value(let value, _):
            return .comparison(value, .equal, .constant(.boolean(true)))
        case .objects, .scalars, .folded, .range: throw unsupported(expression, "it is not true or false")
        }
    }

    mutating func pairs(
        _ left: Any,
        _ right: Any,
        _ combine: (PredicateTerm, PredicateTerm) throws -> PredicateTerm
    ) throws -> [PredicateCase] {
        let (lefts, rights) = (try cases(left), try cases(right))
        return try lefts.flatMap { left in
            try rights.map { right in
                PredicateCase(guards: left.guards + right.guards, term: try combine(left.term, right.term))
            }
        }
    }

    // MARK: Variables

    /// Returns the cases of a part in which a variable represents a term.
    mutating func cases<Output>(
        _ expression: Any,
        with variable: PredicateExpressions.Variable<Output>,
        as term: PredicateTerm
    ) throws -> [PredicateCase] {
        let outer = variables[variable.key]
        variables[variable.key] = term
        defer { variables[variable.key] = outer }
        return try cases(expression)
    }

    mutating func newName() -> String {
        names += 1
        return "v\(names)"
    }

    // MARK: Terms

    /// Returns the expression of a term; captured values become constants.
    func expression(of term: PredicateTerm, in part: Any) throws -> ObjectPredicate.Expression {
        switch term {
        case .nothing: return .constant(.null)
        case .value(let expression, _): return expression
        case .captured(let captured):
            guard let value = CapturedValue.value(captured) else {
                throw unsupported(part, "no attribute has values of the type \(type(of: captured))")
            }
            return .constant(value)
        case .condition, .objects, .scalars, .folded, .range:
            throw unsupported(part, "it is no single value")
        }
    }

    static func all(_ conditions: [ObjectPredicate]) -> ObjectPredicate {
        guard let first = conditions.first else { return .always(true) }
        return conditions.dropFirst().reduce(first) { $0 && $1 }
    }

    static func any(_ conditions: [ObjectPredicate]) -> ObjectPredicate {
        guard let first = conditions.first else { return .always(false) }
        return conditions.dropFirst().reduce(first) { $0 || $1 }
    }

    static func isPresent(_ expression: ObjectPredicate.Expression) -> ObjectPredicate {
        .comparison(expression, .notEqual, .constant(.null))
    }

    static func isMissing(_ expression: ObjectPredicate.Expression) -> ObjectPredicate {
        .comparison(expression, .equal, .constant(.null))
    }

    func unsupported(_ expression: Any, _ reason: String) -> ObjectPredicateError {
        var name = "\(type(of: expression))"
        for word in ["FoundationEssentials.", "PredicateExpressions.", "Swift."] {
            name = name.replacing(word, with: "")
        }
        return ObjectPredicateError("'\(name)' in a #Predicate cannot be fetched: \(reason)")
    }
}

/// A part of a `#Predicate` that can be translated.
protocol TranslatableExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> [PredicateCase]
}
