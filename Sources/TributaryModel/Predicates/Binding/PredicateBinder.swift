import TributaryChanges

struct PredicateBinder {
    typealias Operand = BoundPredicate.Operand

    let model: Model
    /// The evaluated object, then the objects of the enclosing subqueries.
    let scopes: [(variable: String?, entity: Entity)]

    func bind(_ predicate: ObjectPredicate) throws(ObjectPredicateError) -> BoundPredicate {
        switch predicate.form {
        case .always(let answer): return .always(answer)
        case .and(let terms): return .and(try bind(terms))
        case .or(let terms): return .or(try bind(terms))
        case .not(let term): return .not(try bind(term))
        case .comparison(let comparison): return try bind(comparison)
        case .tooDeep(let depth): throw ObjectPredicateError(depth: depth)
        }
    }

    private func bind(_ terms: [ObjectPredicate]) throws(ObjectPredicateError) -> [BoundPredicate] {
        var bound: [BoundPredicate] = []
        for term in terms { bound.append(try bind(term)) }
        return bound
    }

    private func bind(_ comparison: ObjectPredicate.Comparison) throws(ObjectPredicateError) -> BoundPredicate {
        var comparison = comparison
        var left = try operand(comparison.left)
        var right = try right(of: comparison)
        func exchange(_ operation: ObjectPredicate.Operator) {
            comparison.operation = operation
            (left, right) = (right, left)
            (comparison.left, comparison.right) = (comparison.right, comparison.left)
        }
        if comparison.quantifier == .direct {
            let operation = comparison.operation
            // `x IN path` and `path CONTAINS x` both compare `x` with each value of the path.
            if operation == .isIn, right.isToMany {
                exchange(.equal)
                comparison.quantifier = .any
            } else if operation == .contains, left.isToMany {
                comparison.operation = .equal
                comparison.quantifier = .any
            } else if operation == .isIn, right.kind == .string, !right.isConstant {
                exchange(.contains)
            } else if left.isConstant, !right.isConstant, let mirrored = operation.mirrored {
                exchange(mirrored)
            }
        }
        return try bind(left, comparison, right)
    }

    /// An unknown property on the right side is often a text without quotes.
    private func right(of comparison: ObjectPredicate.Comparison) throws(ObjectPredicateError) -> Operand {
        do throws(ObjectPredicateError) {
            return try operand(comparison.right)
        } catch {
            guard case .keyPath(let path) = comparison.right.form, path.count == 1 else { throw error }
            var error = error
            error.reason += "; a text needs quotes: '\(path[0])'"
            throw error
        }
    }

    func bind(
        _ left: Operand,
        _ comparison: ObjectPredicate.Comparison,
        _ right: Operand
    ) throws(ObjectPredicateError) -> BoundPredicate {
        let operation = comparison.operation
        let text = text(of: left, comparison.left)
        if case .list = left { throw ObjectPredicateError("a list is possible after IN or BETWEEN only", keyPath: "{") }
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
            let path = self.text(of: right, comparison.right)
            throw ObjectPredicateError("a to-many path is possible on the left only", keyPath: path)
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
        let constant = left.isConstant ? try coerced(left, to: kind, beside: comparison.right) : left
        let operand = try self.right(right, kind, comparison, text)
        var matcher: StringMatcher?
        if operation.isStringOperator, case .constant(let value) = operand, let text = value.text {
            matcher = try StringMatcher(operation, text, comparison.folding)
        }
        var members: BoundPredicate.Comparison.SortedValues?
        if operation == .isIn, case .list(let values) = operand {
            members = BoundPredicate.Comparison.SortedValues(values.map(comparison.folding.fold))
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
                members: members
            )
        )
    }

    func text(of operand: Operand, _ expression: ObjectPredicate.Expression) -> String {
        if case .path(let path) = operand { path.text } else { "\(expression)" }
    }

    /// The kind of the side that is not a constant decides.
    private func kind(
        of left: Operand,
        _ comparison: ObjectPredicate.Comparison,
        _ right: Operand
    ) throws(ObjectPredicateError) -> ValueKind {
        let own = left.kind ?? .opaque
        guard let other = right.kind, !right.isConstant else { return own }
        guard left.isConstant || own == other else {
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
            throw ObjectPredicateError("\(name) is for strings, and '\(text)' is not a string", keyPath: text)
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
                result.append(try value.coerced(to: kind, beside: text))
            }
            return .list(result)
        case .path, .function:
            guard !takesList, operation != .matches else {
                let path = self.text(of: right, comparison.right)
                throw ObjectPredicateError("\(operation.rawValue) needs values behind it, not a path", keyPath: path)
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
        return .constant(try value.coerced(to: kind, beside: text))
    }

    func operand(_ expression: ObjectPredicate.Expression) throws(ObjectPredicateError) -> Operand {
        switch expression.form {
        case .constant(let value): return .constant(value)
        case .keyPath(let components): return .path(try path(components, scope: 0))
        case .variable(let name): return .path(try path([], scope: try scope(of: name)))
        case .variablePath(let name, let components): return .path(try path(components, scope: try scope(of: name)))
        case .function(let function, let arguments): return try bind(function, arguments, expression)
        case .subquery(let subquery): return .path(try bind(subquery))
        case .tooDeep(let depth): throw ObjectPredicateError(depth: depth)
        case .list(let elements):
            var values: [PropertyValue] = []
            for element in elements {
                guard case .constant(let value) = try operand(element) else {
                    throw ObjectPredicateError("a list holds values only", keyPath: "\(element)")
                }
                values.append(value)
            }
            return .list(values)
        }
    }

    private func scope(of variable: String) throws(ObjectPredicateError) -> Int {
        guard let scope = scopes.lastIndex(where: { $0.variable == variable }) else {
            throw ObjectPredicateError("'$\(variable)' has no value", keyPath: "$\(variable)")
        }
        return scope
    }

    private func path(_ components: [String], scope: Int) throws(ObjectPredicateError) -> BoundPath {
        var path = try PathBinder(entity: scopes[scope].entity, model: model).bind(components)
        path.scope = scope
        return path
    }

    private func bind(_ subquery: ObjectPredicate.Subquery) throws(ObjectPredicateError) -> BoundPath {
        guard case .path(var collection) = try operand(subquery.collection), case .identity = collection.terminal,
            let last = collection.steps.indices.last, collection.steps[last].relationship.isToMany
        else {
            throw ObjectPredicateError("a subquery needs a to-many relationship", keyPath: "\(subquery.collection)")
        }
        let destination = collection.steps[last].destination
        let inner = PredicateBinder(model: model, scopes: scopes + [(subquery.variable, destination)])
        collection.steps[last].filter = try inner.bind(subquery.predicate)
        let names = collection.components + subquery.path
        let start = collection.steps
        let rest = PathBinder(entity: destination, model: model)
        var result: BoundPath
        switch subquery.path.first {
        case "@count":
            guard subquery.path.count == 1 else {
                throw ObjectPredicateError("nothing follows @count", keyPath: subquery.path.joined(separator: "."))
            }
            result = rest.aggregate(.count, of: BoundPath(components: names, steps: start, .identity, of: destination))
        case let name? where name.hasPrefix("@"):
            let function = try rest.function(name)
            let tail = try rest.bind(Array(subquery.path.dropFirst()))
            guard !tail.isToMany else {
                throw ObjectPredicateError("'\(name)' takes one value of each object", keyPath: tail.text)
            }
            let values = BoundPath(components: names, steps: start + tail.steps, tail.terminal, of: tail.entity)
            result = rest.aggregate(function, of: values)
            try rest.check(function, tail)
        default:
            let tail = try rest.bind(subquery.path)
            result = BoundPath(components: names, steps: start + tail.steps, tail.terminal, of: tail.entity)
        }
        result.scope = collection.scope
        return result
    }

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
                    arguments[index] = .constant(try value.coerced(to: .decimal, beside: "\(whole)"))
                }
            }
        }
        // A constant with many digits becomes a double where the function does not take decimals.
        guard arguments.count == function.argumentCount,
            let bound = BoundFunction(function, arguments)
                ?? BoundFunction(function, arguments.map(\.withoutLongNumber))
        else { throw ObjectPredicateError("\(function.rawValue) does not take these values", keyPath: "\(whole)") }
        arguments = bound.arguments
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
    fileprivate var isConstant: Bool {
        switch self {
        case .constant, .list: true
        case .path, .function: false
        }
    }

    fileprivate var withoutLongNumber: Self {
        guard case .constant(.decimal(let text)) = self, let value = Double(text) else { return self }
        return .constant(.double(value))
    }
}
