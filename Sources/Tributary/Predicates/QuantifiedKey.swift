public import TributaryModel

/// The typed key of the values at the end of a to-many path, behind `any`, `all` or `none`.
///
/// ```swift
/// Employee.keys.projects.any.title == "Till"
/// Department.keys.employees.all.salary > 1000
/// ```
@dynamicMemberLookup
public struct QuantifiedKey<Root, Value: FieldValue>: ComparableKey {
    /// The key path in a predicate.
    public let expression: ObjectPredicate.Expression
    /// Which of the values must fulfil the comparison.
    public let quantifier: ObjectPredicate.Quantifier

    init(path: [String], quantifier: ObjectPredicate.Quantifier) {
        self.init(expression: .keyPath(path), quantifier: quantifier)
    }

    init(expression: ObjectPredicate.Expression, quantifier: ObjectPredicate.Quantifier) {
        self.expression = expression
        self.quantifier = quantifier
    }
}

extension QuantifiedKey where Value.Present: CompositeValue {
    /// A member of a composite attribute, as ``AttributeKey`` has it.
    public subscript<Member: FieldValue>(
        dynamicMember path: KeyPath<Value.Present, Member>
    ) -> QuantifiedKey<Root, Member> {
        let name = CompositeProbe.name(of: path) ?? "\(path)"
        return QuantifiedKey<Root, Member>(expression: expression.appending(name), quantifier: quantifier)
    }
}
