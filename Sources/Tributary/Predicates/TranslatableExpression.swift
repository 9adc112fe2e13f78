/// A part of a `#Predicate` that can be translated.
protocol TranslatableExpression {
    /// Returns the cases of the part.
    func translate(_ translator: inout PredicateTranslator) throws -> [PredicateCase]
}
