import TributaryModel

/// What a part of a `#Predicate` comes to.
enum PredicateTerm {
    /// `nil`.
    case nothing
    /// A value that the program has, of any type.
    case captured(Any)
    /// What an expression of the format language stands for; an object by the path that leads to it.
    case value(ObjectPredicate.Expression, isOptional: Bool)
    /// Something that is true or false.
    case condition(ObjectPredicate)
    /// The objects of a to-many path that fulfil a condition of the variable.
    case objects(ObjectPredicate.Expression, variable: String?, ObjectPredicate?)
    /// The Unicode scalars of a string.
    case scalars(ObjectPredicate.Expression)
    /// A string without case and diacritics.
    case folded(ObjectPredicate.Expression)
    /// A range; `includesUpper` unless it is half open.
    indirect case range(lower: PredicateTerm, upper: PredicateTerm, includesUpper: Bool)
}
