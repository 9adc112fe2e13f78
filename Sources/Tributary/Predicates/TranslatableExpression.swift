/// A part of a `#Predicate` that has a counterpart.
protocol TranslatableExpression {
    /// The cases that it comes to.
    func translate(_ translator: inout PredicateTranslator) throws -> [PredicateCase]
}
