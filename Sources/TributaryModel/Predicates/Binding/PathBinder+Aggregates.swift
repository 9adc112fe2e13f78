/// Binds aggregates such as `projects.@sum.hours` and `projects.hours.@sum`.
extension PathBinder {
    /// Returns the aggregate path; nil when the names have no aggregate, or only `@count` at their end.
    func aggregate(_ components: [String]) throws(ObjectPredicateError) -> BoundPath? {
        guard let index = components.firstIndex(where: { $0.hasPrefix("@") && $0 != "@count" }) else { return nil }
        let text = components.joined(separator: ".")
        let function = try self.function(components[index])
        var names = components
        names.remove(at: index)
        let path = try plain(names)
        let isLast = index == components.count - 1
        let collection =
            isLast ? path.steps.lastIndex { $0.relationship.isToMany } : index - 1
        guard let collection, path.steps.indices.contains(collection), path.steps[collection].relationship.isToMany,
            !path.steps[(collection + 1)...].contains(where: \.relationship.isToMany)
        else {
            throw ObjectPredicateError("\(components[index]) needs a to-many relationship before it", keyPath: text)
        }
        try check(function, path)
        let outer = path.steps[..<collection].lastIndex { $0.relationship.isToMany }.map { $0 + 1 } ?? 0
        let inner = BoundPath(
            components: names,
            steps: Array(path.steps[outer...]),
            terminal: path.terminal,
            entity: path.entity
        )
        return BoundPath(
            components: components,
            steps: Array(path.steps[..<outer]),
            terminal: .aggregate(function, inner),
            entity: outer > 0 ? path.steps[outer - 1].destination : entity
        )
    }

    func aggregate(
        _ function: ObjectPredicate.Aggregate,
        _ steps: [BoundPath.Step],
        _ terminal: BoundPath.Terminal,
        _ end: Entity,
        _ components: [String]
    ) -> BoundPath {
        BoundPath(
            components: components,
            steps: [],
            terminal: .aggregate(
                function,
                BoundPath(components: components, steps: steps, terminal: terminal, entity: end)
            ),
            entity: steps.first?.source ?? entity
        )
    }

    func function(_ name: String) throws(ObjectPredicateError) -> ObjectPredicate.Aggregate {
        guard name.hasPrefix("@"), let function = ObjectPredicate.Aggregate(rawValue: String(name.dropFirst())) else {
            throw ObjectPredicateError("'\(name)' is no aggregate", keyPath: name)
        }
        return function
    }

    /// Checks that `@sum` and `@avg` have numbers, and that `@min` and `@max` have values with an order.
    func check(_ function: ObjectPredicate.Aggregate, _ path: BoundPath) throws(ObjectPredicateError) {
        let fits =
            switch (function, path.kind) {
            case (.count, _), (_, .number), (_, .decimal): true
            case (.min, .date), (.max, .date), (.min, .string), (.max, .string): true
            default: false
            }
        switch path.terminal {
        case .attribute where fits, .member where fits: return
        default: break
        }
        throw ObjectPredicateError("'\(path.text)' has nothing for @\(function.rawValue)", keyPath: path.text)
    }
}
