import TributaryChanges

extension PredicateBinder {
    func bind(
        _ function: ObjectPredicate.Function,
        _ expressions: [ObjectPredicate.Expression],
        _ whole: ObjectPredicate.Expression
    ) throws(ObjectPredicateError) -> Operand {
        guard function != .now else {
            throw ObjectPredicateError("now() was not given a time", keyPath: "now")
        }
        var arguments: [Operand] = []
        for expression in expressions {
            let argument = try operand(expression)
            if argument.isToMany {
                throw ObjectPredicateError("a function takes one value: use SUBQUERY", keyPath: "\(expression)")
            }
            if case .list = argument {
                throw ObjectPredicateError("a function takes one value, not a list", keyPath: "\(expression)")
            }
            arguments.append(argument)
        }
        // An integer beside a decimal is converted to a decimal.
        if arguments.count == 2, arguments.contains(where: { $0.kind == .decimal }) {
            for index in arguments.indices {
                if case .constant(let value) = arguments[index] {
                    arguments[index] = .constant(try ConstantCoercion.coerce(value, to: .decimal, beside: "\(whole)"))
                }
            }
        }
        var kinds = arguments.map { $0.kind ?? .opaque }
        if function.kind(of: kinds) == nil {
            // A constant with many digits becomes a double where the function does not take decimals.
            arguments = arguments.map(\.withoutLongNumber)
            kinds = arguments.map { $0.kind ?? .opaque }
        }
        guard kinds.count == function.argumentCount, let kind = function.kind(of: kinds) else {
            throw ObjectPredicateError("\(function.rawValue) does not take these values", keyPath: "\(whole)")
        }
        let bound = BoundFunction(function: function, arguments: arguments, argumentKinds: kinds, kind: kind)
        let constants = arguments.compactMap { argument -> PropertyValue? in
            if case .constant(let value) = argument { value } else { nil }
        }
        if constants.count == arguments.count {
            let value = bound.value(of: constants)
            if !value.isNull { return .constant(value) }
        }
        return .function(bound)
    }
}

extension BoundPredicate.Operand {
    /// A decimal constant as the nearest double; any other operand unchanged.
    fileprivate var withoutLongNumber: Self {
        guard case .constant(.decimal(let text)) = self, let value = Double(text) else { return self }
        return .constant(.double(value))
    }
}
