import TributaryModel

/// The translation of a part of a `#Predicate`.
enum PredicateTerm {
    case nothing
    /// A value that the program has captured, of any type.
    case captured(Any)
    /// An expression of the format language; an object is represented by its path.
    case value(ObjectPredicate.Expression, isOptional: Bool)
    case condition(ObjectPredicate)
    /// The objects of a to-many path that match a condition on the variable.
    case objects(ObjectPredicate.Expression, variable: String?, ObjectPredicate?)
    case scalars(ObjectPredicate.Expression)
    /// A string without case and diacritics.
    case folded(ObjectPredicate.Expression)
    /// A range; `includesUpper` unless it is half open.
    indirect case range(lower: PredicateTerm, upper: PredicateTerm, includesUpper: Bool)
}

/// A term with the conditions under which it holds; the cases of one expression are disjoint and complete.
struct PredicateCase {
    var guards: [ObjectPredicate] = []
    var term: PredicateTerm
}
