import Foundation
import TributaryModel

extension PredicateExpressions.KeyPath: TranslatableExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> [PredicateCase] {
        try translator.cases(root).map { each in
            PredicateCase(guards: each.guards, term: try step(from: each.term, translator))
        }
    }

    private func step(from term: PredicateTerm, _ translator: PredicateTranslator) throws -> PredicateTerm {
        switch term {
        case .captured(let captured):
            guard let value = captured as? Root.Output else { break }
            if let text = value as? String, isFolding { return .folded(.constant(.string(text))) }
            return .captured(value[keyPath: keyPath])
        case .objects(let path, let variable, let filter): return try step(path, variable, filter, translator)
        case .scalars(let expression):
            if keyPath == \String.UnicodeScalarView.count {
                return .value(.function(.length, [expression]), isOptional: false)
            }
            if keyPath == \String.UnicodeScalarView.isEmpty { return isEmpty(expression) }
        case .value(let expression, _):
            if Root.Output.self == String.self { return try step(fromText: expression, translator) }
            return try step(fromObject: expression, translator)
        case .nothing, .condition, .folded, .range: break
        }
        throw translator.unsupported(self, "nothing leads on from there")
    }

    private var isFolding: Bool { keyPath == \String.foldedForSearch }

    private func isEmpty(_ text: ObjectPredicate.Expression) -> PredicateTerm {
        .condition(.comparison(text, .equal, .constant(.string(""))))
    }

    private func step(
        fromText text: ObjectPredicate.Expression,
        _ translator: PredicateTranslator
    ) throws -> PredicateTerm {
        if isFolding { return .folded(text) }
        if keyPath == \String.unicodeScalars { return .scalars(text) }
        if let kind, case .collectionIsEmpty = kind { return isEmpty(text) }
        if let kind, case .collectionCount = kind {
            throw translator.unsupported(
                self,
                "a store counts Unicode scalars, not characters: write '\(text).unicodeScalars.count'"
            )
        }
        throw translator.unsupported(self, "a string supports only isEmpty and unicodeScalars.count")
    }

    private func step(
        _ path: ObjectPredicate.Expression,
        _ variable: String?,
        _ filter: ObjectPredicate?,
        _ translator: PredicateTranslator
    ) throws -> PredicateTerm {
        let count: ObjectPredicate.Expression =
            if let variable, let filter {
                .subquery(ObjectPredicate.Subquery(path, variable: variable, where: filter))
            } else {
                path.appending("@count")
            }
        if let kind, case .collectionCount = kind { return .value(count, isOptional: false) }
        if let kind, case .collectionIsEmpty = kind {
            return .condition(.comparison(count, .equal, .constant(.integer(0))))
        }
        throw translator.unsupported(self, "'\(path)' supports only count and isEmpty")
    }

    private func step(
        fromObject object: ObjectPredicate.Expression,
        _ translator: PredicateTranslator
    ) throws -> PredicateTerm {
        guard object.isPath else { throw translator.unsupported(self, "nothing leads on from '\(object)'") }
        let isOptional = Output.self is any AnyOptional.Type
        let finding: PropertyProbe.Finding
        switch Root.Output.self {
        case let type as ManagedObject.Type: finding = PropertyProbe.find(keyPath, in: type, as: Output.self)
        case let type as any TypedSnapshot.Type: finding = type.finding(keyPath)
        case let type as any CompositeValue.Type: finding = type.finding(keyPath)
        default: throw translator.unsupported(self, "\(Root.Output.self) has no properties of the model")
        }
        switch finding {
        case .identity: return .value(object, isOptional: false)
        case .property(let name):
            let path = object.appending(name)
            return isObjects ? .objects(path, variable: nil, nil) : .value(path, isOptional: isOptional)
        case .none(let names) where names.isEmpty:
            throw translator.unsupported(self, "it does not name a property of \(Root.Output.self)")
        case .none(let names):
            let list = names.map { "'\($0)'" }.joined(separator: ", ")
            throw translator.unsupported(self, "it is computed from \(list) of \(Root.Output.self)")
        }
    }

    private var isObjects: Bool {
        !(Output.self is any FieldValue.Type) && Output.self is any Sequence.Type
    }
}

extension TypedSnapshot {
    fileprivate static func finding(_ path: AnyKeyPath) -> PropertyProbe.Finding {
        guard let path = path as? PartialKeyPath<Self> else { return .none(uses: []) }
        if let name = propertyName(of: path) { return .property(name) }
        let isID = type(of: path).valueType == ManagedObjectID.self && "\(path)".hasSuffix(".objectID")
        return isID ? .identity : .none(uses: [])
    }
}

extension CompositeValue {
    fileprivate static func finding<Root, Output>(_ path: KeyPath<Root, Output>) -> PropertyProbe.Finding {
        guard let path = path as? KeyPath<Self, Output> else { return .none(uses: []) }
        return CompositeProbe.name(of: path).map(PropertyProbe.Finding.property) ?? .none(uses: [])
    }
}
