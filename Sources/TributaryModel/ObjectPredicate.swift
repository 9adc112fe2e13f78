public import TributaryChanges

/// A condition on objects: one tree, evaluated in SQL and in memory with the same answer.
public indirect enum ObjectPredicate: Sendable, Hashable {
    case always(Bool)
    case and([ObjectPredicate])
    case or([ObjectPredicate])
    case not(ObjectPredicate)
    case comparison(Comparison)

    /// Two expressions and how they are compared.
    public struct Comparison: Sendable, Hashable {
        public var left: Expression
        public var operation: Operator
        public var right: Expression
        public var isCaseInsensitive: Bool
        public var isDiacriticInsensitive: Bool
        /// ALL, ANY or NONE of a to-many key path on the left.
        public var quantifier: Quantifier

        /// A comparison that minds case and accents unless it is said otherwise.
        public init(
            _ left: Expression,
            _ operation: Operator,
            _ right: Expression,
            caseInsensitive: Bool = false,
            diacriticInsensitive: Bool = false,
            quantifier: Quantifier = .direct
        ) {
            self.left = left
            self.operation = operation
            self.right = right
            isCaseInsensitive = caseInsensitive
            isDiacriticInsensitive = diacriticInsensitive
            self.quantifier = quantifier
        }
    }

    /// What is compared.
    public indirect enum Expression: Sendable, Hashable {
        case constant(PropertyValue)
        /// A property, or a path through relationships; an empty path is the object itself.
        case keyPath([String])
        case list([Expression])
        /// `$NAME`, to be given before the predicate is used.
        case variable(String)
    }

    /// How two expressions are compared.
    public enum Operator: String, Sendable, Hashable {
        case equal = "=="
        case notEqual = "!="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
        case isIn = "IN"
        case between = "BETWEEN"
        case beginsWith = "BEGINSWITH"
        case endsWith = "ENDSWITH"
        case contains = "CONTAINS"
        case like = "LIKE"
        case matches = "MATCHES"
    }

    /// Which of the objects at the end of a to-many path must fulfil a comparison.
    public enum Quantifier: String, Sendable, Hashable {
        case direct
        case any = "ANY"
        case all = "ALL"
        case none = "NONE"
    }
}
