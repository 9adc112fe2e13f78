import TributaryChanges

extension PredicateBinder {
    func bind(
        _ left: Operand,
        _ comparison: ObjectPredicate.Comparison,
        _ right: Operand
    ) throws(ObjectPredicateError) -> BoundPredicate {
        let operation = comparison.operation
        let text = text(of: left, comparison.left)
        if case .list = left { throw ObjectPredicateError("a list stands behind IN or BETWEEN only", keyPath: "{") }
        if case .path(let path) = left, comparison.quantifier == .direct, path.isCollection,
            case .constant(.null) = right, operation == .equal || operation == .notEqual
        {
            // A to-many relationship compared with NULL: it is null when it is empty.
            return .nullTest(left, isNull: false, quantifier: operation == .equal ? .none : .any)
        }
        if left.isToMany, comparison.quantifier == .direct {
            throw ObjectPredicateError("the path is to-many: it needs ANY, ALL or NONE before it", keyPath: text)
        }
        if !left.isToMany, comparison.quantifier != .direct {
            throw ObjectPredicateError(
                "\(comparison.quantifier.rawValue) needs a path through a to-many relationship",
                keyPath: text
            )
        }
        if right.isToMany {
            throw ObjectPredicateError(
                "a to-many path stands on the left only",
                keyPath: self.text(of: right, comparison.right)
            )
        }
        if case .constant(.null) = right {
            guard operation == .equal || operation == .notEqual else {
                throw ObjectPredicateError("NULL can only be compared with == and !=", keyPath: text)
            }
            return .nullTest(left, isNull: operation == .equal, quantifier: comparison.quantifier)
        }
        if case .constant(.null) = left { return .always(operation == .notEqual) }
        let kind = try kind(of: left, comparison, right)
        try check(comparison, fits: kind, text)
        let constant = isConstant(left) ? try coerced(left, to: kind, beside: comparison.right) : left
        let operand = try self.right(right, kind, comparison, text)
        var matcher: StringMatcher?
        if operation.isStringOperator, case .constant(let value) = operand, let text = value.text {
            matcher = try StringMatcher(operation, text, comparison.folding)
        }
        return .comparison(
            BoundPredicate.Comparison(
                left: constant,
                operation: operation,
                right: operand,
                folding: comparison.folding,
                quantifier: comparison.quantifier,
                kind: kind,
                matcher: matcher,
                members: members(of: operand, comparison)
            )
        )
    }

    private func members(of operand: Operand, _ comparison: ObjectPredicate.Comparison) -> SortedValues? {
        guard comparison.operation == .isIn, case .list(let values) = operand else { return nil }
        return SortedValues(values.map(comparison.folding.fold))
    }

    func text(of operand: Operand, _ expression: ObjectPredicate.Expression) -> String {
        if case .path(let path) = operand { path.text } else { "\(expression)" }
    }

    /// Returns the kind in which the two sides compare: the kind of the side that is not a constant.
    private func kind(
        of left: Operand,
        _ comparison: ObjectPredicate.Comparison,
        _ right: Operand
    ) throws(ObjectPredicateError) -> ValueKind {
        let own = left.kind ?? .opaque
        guard let other = right.kind, !isConstant(right) else { return own }
        guard isConstant(left) || own == other else {
            let text = text(of: right, comparison.right)
            throw ObjectPredicateError("'\(comparison.left)' and '\(text)' do not compare", keyPath: text)
        }
        return other
    }

    private func check(
        _ comparison: ObjectPredicate.Comparison,
        fits kind: ValueKind,
        _ text: String
    ) throws(ObjectPredicateError) {
        let operation = comparison.operation
        let name = operation.rawValue
        switch kind {
        case .opaque:
            throw ObjectPredicateError("binary and composite values can only be compared with NULL", keyPath: text)
        case .boolean where operation.isOrder, .reference where operation.isOrder:
            throw ObjectPredicateError("'\(text)' has no order for \(name)", keyPath: text)
        case .string: return
        case _ where operation.isStringOperator:
            throw ObjectPredicateError("\(name) is for strings, '\(text)' is none", keyPath: text)
        default: break
        }
        if !comparison.folding.isEmpty {
            throw ObjectPredicateError("[c] and [d] are for strings", keyPath: text)
        }
    }

    private func right(
        _ right: Operand,
        _ kind: ValueKind,
        _ comparison: ObjectPredicate.Comparison,
        _ text: String
    ) throws(ObjectPredicateError) -> Operand {
        let operation = comparison.operation
        let takesList = operation == .isIn || operation == .between
        switch right {
        case .constant:
            guard !takesList else {
                throw ObjectPredicateError("\(operation.rawValue) needs a list: {1, 2}", keyPath: text)
            }
            return try coerced(right, to: kind, beside: comparison.left)
        case .list(let values):
            guard takesList else {
                throw ObjectPredicateError("\(operation.rawValue) takes one value, not a list", keyPath: text)
            }
            if operation == .between, values.count != 2 || values.contains(.null) {
                throw ObjectPredicateError("BETWEEN takes two bounds", keyPath: text)
            }
            var result: [PropertyValue] = []
            for value in values where !value.isNull {
                result.append(try ConstantCoercion.coerce(value, to: kind, beside: text))
            }
            return .list(result)
        case .path, .function:
            guard !takesList, operation != .matches else {
                throw ObjectPredicateError(
                    "\(operation.rawValue) needs values behind it, not a path",
                    keyPath: self.text(of: right, comparison.right)
                )
            }
            return right
        }
    }

    private func coerced(
        _ operand: Operand,
        to kind: ValueKind,
        beside expression: ObjectPredicate.Expression
    ) throws(ObjectPredicateError) -> Operand {
        guard case .constant(let value) = operand else { return operand }
        var text = "\(expression)"
        if case .keyPath(let path) = expression.form, !path.isEmpty { text = path.joined(separator: ".") }
        return .constant(try ConstantCoercion.coerce(value, to: kind, beside: text))
    }
}
