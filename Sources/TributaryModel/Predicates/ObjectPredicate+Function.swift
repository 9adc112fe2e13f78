extension ObjectPredicate {
    /// What can be computed from other expressions.
    public enum Function: String, Sendable, Hashable, CaseIterable {
        /// `a + b`.
        case add = "+"
        /// `a - b`.
        case subtract = "-"
        /// `a * b`.
        case multiply = "*"
        /// `a / b`.
        case divide = "/"
        /// `a ** b`.
        case power = "**"
        /// The remainder, with the sign of the first: `modulus:by:(a, b)`.
        case modulus = "modulus:by:"
        /// Without its sign.
        case absolute = "abs:"
        /// The next whole number up.
        case ceiling = "ceiling:"
        /// The next whole number down.
        case floor = "floor:"
        /// Without the fraction.
        case truncate = "trunc:"
        /// The square root.
        case squareRoot = "sqrt:"
        /// Upper case, scalar by scalar.
        case uppercase = "uppercase:"
        /// Lower case, scalar by scalar.
        case lowercase = "lowercase:"
        /// Lower case without diacritics.
        case canonical = "canonical:"
        /// How many Unicode scalars a string has.
        case length = "length:"
        /// The time of the fetch.
        case now = "now"
        /// `CAST(x, 'NSNumber')`.
        case castToNumber = "NSNumber"
        /// `CAST(x, 'NSDecimalNumber')`.
        case castToDecimal = "NSDecimalNumber"
        /// `CAST(x, 'NSString')`.
        case castToString = "NSString"
        /// `CAST(x, 'NSDate')`.
        case castToDate = "NSDate"
    }
}
