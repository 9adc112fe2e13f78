// Predicates in Swift: typed keys, and `#Predicate` translated to the predicate language.

import Foundation
import TributaryChanges
import TributaryModel

/// A part that may be nil is split into cases, each with its condition, and comparisons are made case by case.
struct PredicateTranslator {
    private(set) var variables: [PredicateExpressions.VariableID: PredicateTerm] = [:]
    private var names = 0
    static let caseLimit = 128
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
            throw unsupported(part, "it is not a single value")
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

    /// As in Swift, two missing values are equal.
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

    func compare(
        _ left: PredicateTerm,
        _ operation: ObjectPredicate.Operator,
        _ right: PredicateTerm,
        _ part: Any
    ) throws -> ObjectPredicate {
        let (first, second) = (try expression(of: left, in: part), try expression(of: right, in: part))
        switch (first.form, second.form) {
        case (.constant(let first), .constant(let second)):
            return .always(first.compared(to: second).map(operation.holds) ?? false)
        case (.constant(.null), _), (_, .constant(.null)): return .always(false)
        default: return .comparison(first, operation, second)
        }
    }

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

protocol TranslatableExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> [PredicateCase]
}

enum PredicateTerm {
    case nothing
    case captured(Any)
    case value(ObjectPredicate.Expression, isOptional: Bool)
    case condition(ObjectPredicate)
    case objects(ObjectPredicate.Expression, variable: String?, ObjectPredicate?)
    case scalars(ObjectPredicate.Expression)
    case folded(ObjectPredicate.Expression)
    indirect case range(lower: PredicateTerm, upper: PredicateTerm, includesUpper: Bool)
}

/// A term with the conditions under which it is valid; the cases of an expression are disjoint and complete.
struct PredicateCase {
    var guards: [ObjectPredicate] = []
    var term: PredicateTerm

    func guarded(by outer: [ObjectPredicate]) -> PredicateCase { PredicateCase(guards: outer + guards, term: term) }
}

enum CapturedValue {
    static func value(_ captured: Any) -> PropertyValue? {
        switch captured {
        case let value as any FieldValue: value.fieldValue
        case let id as ManagedObjectID: .reference(id.uniqueID)
        case let object as ManagedObject: .reference(object.uniqueID)
        case let number as any BinaryInteger: Int64(exactly: number).map(PropertyValue.integer)
        case let number as any BinaryFloatingPoint: .double(Double(number))
        case let character as Character: .string(String(character))
        case let text as Substring: .string(String(text))
        case let optional as any AnyOptional: optional.wrapped.map(value) ?? .null
        default: nil
        }
    }

    static func unwrapped(_ captured: Any) -> Any? {
        if let optional = captured as? any AnyOptional { optional.wrapped } else { captured }
    }

    static func elements(_ captured: Any, limit: Int) -> [Any]? {
        guard !(captured is String), !(captured is Data), !(captured is [UInt8]),
            let sequence = captured as? any Sequence
        else { return nil }
        func list<Elements: Sequence>(_ elements: Elements) -> [Any] { elements.prefix(limit + 1).map { $0 as Any } }
        return list(sequence)
    }
}

extension ObjectPredicate.Expression {
    var isPath: Bool {
        switch form {
        case .keyPath, .variable, .variablePath: true
        default: false
        }
    }

    func appending(_ name: String) -> Self {
        switch form {
        case .keyPath(let names): .keyPath(names + [name])
        case .variable(let variable): .variablePath(variable, [name])
        case .variablePath(let variable, let names): .variablePath(variable, names + [name])
        default: self
        }
    }

    func isNothing(without other: Self) -> Bool {
        if self == other { return true }
        switch (form, other.form) {
        case (.keyPath(let names), .keyPath(let start)):
            return names.starts(with: start) && names.last?.hasPrefix("@") != true
        case (.variablePath(let variable, let names), .variablePath(let other, let start)):
            return variable == other && names.starts(with: start) && names.last?.hasPrefix("@") != true
        case (.function(_, let arguments), _): return arguments.contains { $0.isNothing(without: other) }
        default: return false
        }
    }
}

protocol AnyOptional {
    var wrapped: Any? { get }
}

extension Optional: AnyOptional {
    var wrapped: Any? { self }
}
