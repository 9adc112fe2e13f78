extension ObjectPredicate.Operator {
    /// Whether it is one of BEGINSWITH, ENDSWITH, CONTAINS, LIKE and MATCHES.
    package var isStringOperator: Bool {
        switch self {
        case .beginsWith, .endsWith, .contains, .like, .matches: true
        default: false
        }
    }

    /// Whether it needs values with an order.
    package var isOrder: Bool {
        switch self {
        case .less, .lessOrEqual, .greater, .greaterOrEqual, .between: true
        default: false
        }
    }

    /// The operator that means the same with its sides exchanged.
    var mirrored: ObjectPredicate.Operator? {
        switch self {
        case .equal: .equal
        case .notEqual: .notEqual
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        default: nil
        }
    }
}
