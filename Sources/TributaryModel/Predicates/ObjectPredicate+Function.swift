extension ObjectPredicate {
    /// A function of other expressions.
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
        /// The remainder, with the sign of the dividend: `modulus:by:(a, b)`.
        case modulus = "modulus:by:"
        /// The absolute value.
        case absolute = "abs:"
        /// The least integer that is not smaller.
        case ceiling = "ceiling:"
        /// The greatest integer that is not larger.
        case floor = "floor:"
        /// The integer part.
        case truncate = "trunc:"
        /// The square root.
        case squareRoot = "sqrt:"
        /// Upper case, scalar by scalar.
        case uppercase = "uppercase:"
        /// Lower case, scalar by scalar.
        case lowercase = "lowercase:"
        /// Lower case without diacritics.
        case canonical = "canonical:"
        /// The number of Unicode scalars of a string.
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

    package enum Aggregate: String, Sendable, Hashable, CaseIterable {
        case sum, min, max
        case average = "avg"
        /// The number of objects of a to-many relationship or a subquery.
        case count
    }
}

extension ObjectPredicate.Function {
    package var argumentCount: Int {
        switch self {
        case .now: 0
        case .add, .subtract, .multiply, .divide, .power, .modulus: 2
        default: 1
        }
    }

    /// The kind of the result; nil when the function does not take such arguments.
    func kind(of arguments: [ValueKind]) -> ValueKind? {
        let first = arguments.first ?? .opaque
        switch self {
        case .now: return .date
        case .add, .subtract, .multiply, .divide, .power, .modulus: return combined(first, arguments.last ?? .opaque)
        case .absolute: return first == .number || first == .decimal ? first : nil
        case .ceiling, .floor, .truncate, .squareRoot: return first == .number ? .number : nil
        case .uppercase, .lowercase, .canonical: return first == .string ? .string : nil
        case .length: return first == .string ? .number : nil
        case .castToNumber:
            return [.number, .decimal, .boolean, .string, .date].contains(first) ? .number : nil
        case .castToDecimal: return [.number, .decimal, .string].contains(first) ? .decimal : nil
        case .castToString: return [.number, .decimal, .string, .uuid].contains(first) ? .string : nil
        case .castToDate: return [.number, .string, .date].contains(first) ? .date : nil
        }
    }

    private func combined(_ left: ValueKind, _ right: ValueKind) -> ValueKind? {
        switch (left, right) {
        case (.number, .number): .number
        case (.decimal, .decimal): self == .add || self == .subtract || self == .multiply ? .decimal : nil
        case (.date, .number): self == .add || self == .subtract ? .date : nil
        case (.number, .date): self == .add ? .date : nil
        case (.date, .date): self == .subtract ? .number : nil
        default: nil
        }
    }
}
