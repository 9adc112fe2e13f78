import TributaryChanges

extension PredicateBinder {
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
            throw ObjectPredicateError("there is no value for '$\(variable)'", keyPath: "$\(variable)")
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
            result = rest.aggregate(.count, start, .identity, destination, names)
        case let name? where name.hasPrefix("@"):
            let function = try rest.function(name)
            let tail = try rest.bind(Array(subquery.path.dropFirst()))
            guard !tail.isToMany else {
                throw ObjectPredicateError("'\(name)' takes one value of each object", keyPath: tail.text)
            }
            result = rest.aggregate(function, start + tail.steps, tail.terminal, tail.entity, names)
            try rest.check(function, tail)
        default:
            let tail = try rest.bind(subquery.path)
            result = BoundPath(
                components: names,
                steps: start + tail.steps,
                terminal: tail.terminal,
                entity: tail.entity
            )
        }
        result.scope = collection.scope
        return result
    }
}
