package import TributaryChanges

package protocol PredicateSubject {
    associatedtype Related: PredicateSubject where Related.Related == Related

    var predicateID: UniqueID { get }

    var predicateEntity: String { get }

    func predicateValue(propertyIndex: Int) -> PropertyValue

    func predicateTarget(propertyIndex: Int) -> Related?

    func predicateTargets(propertyIndex: Int) -> [Related]
}

extension BoundPredicate {
    package func evaluate<Subject: PredicateSubject>(on subject: Subject) -> Bool where Subject.Related == Subject {
        evaluate(in: [subject])
    }

    /// The innermost scope is last.
    fileprivate func evaluate<Subject: PredicateSubject>(in scopes: [Subject]) -> Bool
    where Subject.Related == Subject {
        switch self {
        case .always(let answer): answer
        case .and(let terms): terms.allSatisfy { $0.evaluate(in: scopes) }
        case .or(let terms): terms.contains { $0.evaluate(in: scopes) }
        case .not(let term): !term.evaluate(in: scopes)
        case .nullTest(let operand, let isNull, let quantifier):
            quantifier.holds(of: operand.values(in: scopes)) { $0.isNull == isNull }
        case .comparison(let comparison): comparison.evaluate(in: scopes)
        }
    }
}

extension BoundPredicate.Comparison {
    fileprivate func evaluate<Subject: PredicateSubject>(in scopes: [Subject]) -> Bool
    where Subject.Related == Subject {
        let operand: BoundPredicate.Operand
        switch right {
        case .path, .function: operand = .constant(right.values(in: scopes).first ?? .null)
        case .constant, .list: operand = right
        }
        return quantifier.holds(of: left.values(in: scopes)) { isTrue($0, operand) }
    }

    /// `right` must be a constant or a list.
    package func isTrue(_ left: PropertyValue, _ right: BoundPredicate.Operand) -> Bool {
        switch right {
        case .constant(let value):
            guard !left.isNull, !value.isNull else { return false }
            if operation.isStringOperator { return matches(left, value) }
            return order(left, value).map(operation.holds) ?? false
        case .list(let values):
            guard !left.isNull else { return false }
            if operation == .between, values.count == 2 {
                guard let low = order(left, values[0]), let high = order(left, values[1]) else { return false }
                return low >= 0 && high <= 0
            }
            if let members { return members.contains(folding.fold(left)) }
            return values.contains { order(left, $0) == 0 }
        case .path, .function: return false
        }
    }

    private func matches(_ left: PropertyValue, _ right: PropertyValue) -> Bool {
        guard let text = left.text, let pattern = right.text else { return false }
        let matcher = self.matcher ?? (try? StringMatcher(operation, pattern, folding))
        return matcher?.matches(text) ?? false
    }

    private func order(_ left: PropertyValue, _ right: PropertyValue) -> Int? {
        folding.fold(left).compared(to: folding.fold(right))
    }
}

extension BoundPredicate.Operand {
    fileprivate func values<Subject: PredicateSubject>(in scopes: [Subject]) -> [PropertyValue]
    where Subject.Related == Subject {
        switch self {
        case .constant(let value): return [value]
        case .list: return []
        case .path(let path): return path.values(in: scopes)
        case .function(let function):
            return [function.value(of: function.arguments.map { $0.values(in: scopes).first ?? .null })]
        }
    }
}

extension BoundPath {
    package func value<Subject: PredicateSubject>(of subject: Subject) -> PropertyValue
    where Subject.Related == Subject {
        values(in: [subject]).first ?? .null
    }

    fileprivate func values<Subject: PredicateSubject>(in scopes: [Subject]) -> [PropertyValue]
    where Subject.Related == Subject {
        guard scopes.indices.contains(scope) else { return [] }
        return values(of: scopes[scope], from: 0, scopes)
    }

    private func values<Subject: PredicateSubject>(
        of subject: Subject,
        from index: Int,
        _ scopes: [Subject]
    ) -> [PropertyValue] where Subject.Related == Subject {
        guard index < steps.count else { return [terminalValue(terminal, of: subject, scopes)] }
        let step = steps[index]
        if step.relationship.isToMany {
            return subject.predicateTargets(propertyIndex: step.propertyIndex)
                .filter { target in step.filter?.evaluate(in: scopes + [target]) ?? true }
                .flatMap { values(of: $0, from: index + 1, scopes) }
        }
        if let target = subject.predicateTarget(propertyIndex: step.propertyIndex) {
            return values(of: target, from: index + 1, scopes)
        }
        // After an empty to-one relationship a to-many path has no values. Any other path has a single value, which is
        // null.
        if steps[index...].contains(where: \.relationship.isToMany) { return [] }
        if case .count = terminal { return [.integer(0)] }
        return [.null]
    }

    private func terminalValue<Subject: PredicateSubject>(
        _ terminal: Terminal,
        of subject: Subject,
        _ scopes: [Subject]
    ) -> PropertyValue where Subject.Related == Subject {
        switch terminal {
        case .identity: .reference(subject.predicateID)
        case .attribute(let propertyIndex, _), .reference(let propertyIndex, _, _):
            subject.predicateValue(propertyIndex: propertyIndex)
        case .member(let propertyIndex, _, let names, let member):
            member.memberValue(of: subject.predicateValue(propertyIndex: propertyIndex), at: names)
        case .derived(let derivation, let inner):
            derivation.value(of: terminalValue(inner, of: subject, scopes))
        case .count(let propertyIndex, _, _):
            .integer(Int64(subject.predicateTargets(propertyIndex: propertyIndex).count))
        case .entity: .string(subject.predicateEntity)
        case .aggregate(let aggregate, let path):
            aggregate.value(of: path.values(of: subject, from: 0, scopes), kind: path.kind)
        }
    }
}
