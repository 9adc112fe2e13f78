package import TributaryChanges

extension BoundPredicate {
    /// Whether the object fulfils the predicate.
    package func evaluate<Subject: PredicateSubject>(on subject: Subject) -> Bool {
        switch self {
        case .always(let answer): answer
        case .and(let terms): terms.allSatisfy { $0.evaluate(on: subject) }
        case .or(let terms): terms.contains { $0.evaluate(on: subject) }
        case .not(let term): !term.evaluate(on: subject)
        case .nullTest(let path, let isNull, let quantifier):
            quantifier.holds(of: path.values(of: subject)) { $0.isNull == isNull }
        case .comparison(let comparison): comparison.evaluate(on: subject)
        }
    }
}

extension BoundPredicate.Comparison {
    fileprivate func evaluate<Subject: PredicateSubject>(on subject: Subject) -> Bool {
        let operand: BoundPredicate.Operand
        switch right {
        case .path(let path): operand = .constant(path.value(of: subject))
        case .constant, .list: operand = right
        }
        switch left {
        case .path(let path):
            return quantifier.holds(of: path.values(of: subject)) { isTrue($0, operand) }
        case .constant(let value): return isTrue(value, operand)
        case .list: return false
        }
    }

    /// The comparison of two values that are there; `right` is no path.
    package func isTrue(_ left: PropertyValue, _ right: BoundPredicate.Operand) -> Bool {
        switch right {
        case .constant(let value):
            guard !left.isNull, !value.isNull else { return false }
            return operation.isStringOperator ? matches(left, value) : compare(left, value)
        case .list(let values):
            guard !left.isNull else { return false }
            if operation == .between, values.count == 2 {
                guard let low = order(left, values[0]), let high = order(left, values[1]) else { return false }
                return low >= 0 && high <= 0
            }
            return values.contains { order(left, $0) == 0 }
        case .path: return false
        }
    }

    private func compare(_ left: PropertyValue, _ right: PropertyValue) -> Bool {
        guard let order = order(left, right) else { return false }
        return switch operation {
        case .equal: order == 0
        case .notEqual: order != 0
        case .less: order < 0
        case .lessOrEqual: order <= 0
        case .greater: order > 0
        case .greaterOrEqual: order >= 0
        default: false
        }
    }

    private func matches(_ left: PropertyValue, _ right: PropertyValue) -> Bool {
        guard let text = left.text, let pattern = right.text else { return false }
        if let matcher { return matcher.matches(text) }
        let matcher = try? StringMatcher(
            operation,
            pattern,
            caseInsensitive: isCaseInsensitive,
            diacriticInsensitive: isDiacriticInsensitive
        )
        return matcher?.matches(text) ?? false
    }

    private func order(_ left: PropertyValue, _ right: PropertyValue) -> Int? {
        guard isCaseInsensitive || isDiacriticInsensitive, let first = left.text, let second = right.text else {
            return left.compared(to: right)
        }
        return PropertyValue.string(fold(first)).compared(to: .string(fold(second)))
    }

    private func fold(_ text: String) -> String {
        StringFolding.fold(text, caseInsensitive: isCaseInsensitive, diacriticInsensitive: isDiacriticInsensitive)
    }
}

extension ObjectPredicate.Quantifier {
    fileprivate func holds(of values: [PropertyValue], _ condition: (PropertyValue) -> Bool) -> Bool {
        switch self {
        case .direct, .any: values.contains(where: condition)
        case .all: values.allSatisfy(condition)
        case .none: !values.contains(where: condition)
        }
    }
}

extension BoundPath {
    /// The one value of a path that is not to-many; null where a to-one relationship on the way is empty.
    package func value<Subject: PredicateSubject>(of subject: Subject) -> PropertyValue {
        values(of: subject).first ?? .null
    }

    /// The values at the end, one for each object there; a path that is not to-many has exactly one.
    package func values<Subject: PredicateSubject>(of subject: Subject) -> [PropertyValue] {
        values(of: subject, from: 0)
    }

    private func values<Subject: PredicateSubject>(of subject: Subject, from index: Int) -> [PropertyValue] {
        guard index < steps.count else { return [terminalValue(of: subject)] }
        let step = steps[index]
        if step.relationship.isToMany {
            return subject.predicateTargets(slot: step.slot).flatMap { values(of: $0, from: index + 1) }
        }
        if let target = subject.predicateTarget(slot: step.slot) { return values(of: target, from: index + 1) }
        // Behind an empty to-one relationship there is nothing to quantify over, or one value that is nothing.
        if steps[index...].contains(where: \.relationship.isToMany) { return [] }
        if case .count = terminal { return [.integer(0)] }
        return [.null]
    }

    private func terminalValue<Subject: PredicateSubject>(of subject: Subject) -> PropertyValue {
        switch terminal {
        case .identity: .reference(subject.predicateID)
        case .attribute(let slot, _), .reference(let slot, _, _): subject.predicateValue(slot: slot)
        case .count(let slot, _, _): .integer(Int64(subject.predicateTargets(slot: slot).count))
        }
    }
}
