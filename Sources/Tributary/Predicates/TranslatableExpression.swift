/// A part of a `#Predicate` that can be translated.
protocol TranslatableExpression {
    func translate(_ translator: inout PredicateTranslator) throws -> [PredicateCase]
}
