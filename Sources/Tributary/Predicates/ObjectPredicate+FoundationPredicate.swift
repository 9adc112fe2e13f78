public import Foundation
public import TributaryModel

extension ObjectPredicate {
    /// Creates the predicate of a `#Predicate` on the objects of a class.
    ///
    /// ```swift
    /// let limit = 1000.0
    /// let rich = try ObjectPredicate(#Predicate<Employee> { $0.salary ?? 0 > limit && $0.name.contains("a") })
    /// let employees = try context.fetch(Employee.self, predicate: rich)
    /// ```
    ///
    /// A property of the class that reads a ``Field``, ``ToOne`` or ``ToMany``, like the properties from
    /// `tributaryctl model generate`, represents that property of the model; a computed property does not and is
    /// refused. These parts can be translated:
    ///
    /// - `==`, `!=`, `<`, `<=`, `>`, `>=`, `&&`, `||`, `!`, `? :`, `if else`, `+`, `-`, `*`, `/`, `%`;
    /// - `nil`, `??`, `!`, optional chaining, `if let`, with Swift's own meaning: `salary != 5` is true without a
    ///   salary, unlike in the format language. An expression that would stop Swift (`!` of nil) is false;
    /// - strings: `contains`, `starts(with:)`, `localizedStandardContains` (as `CONTAINS[cd]`), `isEmpty`,
    ///   `unicodeScalars.count`; `==` and `contains` compare Unicode scalars, as in `ObjectPredicate`;
    /// - `(low...high).contains(x)` and `(low..<high).contains(x)`; `list.contains(x)`, `list.contains { }` of captured
    ///   values;
    /// - to-many relationships: `contains(x)`, `contains { }`, `allSatisfy { }`, `filter { }`, `count`, `isEmpty`;
    /// - members of composites: `$0.address.street`.
    ///
    /// - Throws: `ObjectPredicateError` that names the part which has no counterpart.
    public init<Object: ManagedObject>(_ predicate: Predicate<Object>) throws(ObjectPredicateError) {
        self = try PredicateTranslator.translate(predicate.expression, of: predicate.variable.key)
    }

    /// Creates the predicate for objects from a `#Predicate` on the snapshots of their class.
    ///
    /// Such a `#Predicate` is `Sendable` together with the snapshots. Properties are named by
    /// ``TypedSnapshot/propertyName(of:)``. See ``init(_:)-(Predicate<Object>)`` for what can be translated.
    ///
    /// - Throws: `ObjectPredicateError` that names the part which has no counterpart.
    public init<Snapshot: TypedSnapshot>(_ predicate: Predicate<Snapshot>) throws(ObjectPredicateError) {
        self = try PredicateTranslator.translate(predicate.expression, of: predicate.variable.key)
    }
}
