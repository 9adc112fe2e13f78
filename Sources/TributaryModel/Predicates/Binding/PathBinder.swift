import TributaryChanges

struct PathBinder {
    let entity: Entity
    let model: Model

    /// SQLite joins 64 tables at most, and a many-to-many relationship takes two.
    static let maximumSteps = 30

    func bind(_ components: [String]) throws(ObjectPredicateError) -> BoundPath {
        if let path = try aggregate(components) { return path }
        return try plain(components)
    }

    func plain(_ components: [String]) throws(ObjectPredicateError) -> BoundPath {
        let text = components.joined(separator: ".")
        var steps: [BoundPath.Step] = []
        var current = entity
        func path(_ terminal: BoundPath.Terminal) -> BoundPath {
            BoundPath(components: components, steps: steps, terminal, of: current)
        }
        for (index, name) in components.enumerated() {
            let isLast = index == components.count - 1
            guard let propertyIndex = current.propertyIndex(named: name) else {
                // Only a name without a property has these meanings.
                switch components[index...] {
                case ["objectID"], ["self"]: return path(.identity)
                case ["entity"], ["entity", "name"]: return path(.entity)
                default: throw unknown(name, of: current, in: text)
                }
            }
            switch current.properties[propertyIndex] {
            case .attribute(let attribute):
                guard attribute.isStored else {
                    throw ObjectPredicateError("'\(name)' is transient: the store does not have it", keyPath: text)
                }
                if isLast { return path(.attribute(propertyIndex: propertyIndex, attribute)) }
                return path(try member(Array(components[(index + 1)...]), of: attribute, propertyIndex, in: text))
            case .relationship(let relationship, let storage):
                if isLast, !relationship.isToMany {
                    return path(.reference(propertyIndex: propertyIndex, relationship, storage))
                }
                if index == components.count - 2, components.last == "@count" {
                    guard relationship.isToMany else {
                        throw ObjectPredicateError("'\(name)' is to-one: there is nothing to count", keyPath: text)
                    }
                    return path(.count(propertyIndex: propertyIndex, relationship, storage))
                }
                guard let destination = model.entity(named: relationship.destination) else {
                    throw ObjectPredicateError(
                        "'\(relationship.destination)' is not an entity of the model",
                        keyPath: text
                    )
                }
                steps.append(
                    BoundPath.Step(
                        source: current,
                        propertyIndex: propertyIndex,
                        relationship: relationship,
                        destination: destination
                    )
                )
                guard steps.count <= PathBinder.maximumSteps else {
                    throw ObjectPredicateError(
                        "a path may lead through \(PathBinder.maximumSteps) relationships",
                        keyPath: name
                    )
                }
                current = destination
            }
        }
        return path(.identity)
    }

    private func member(
        _ names: [String],
        of attribute: Attribute,
        _ propertyIndex: Int,
        in text: String
    ) throws(ObjectPredicateError) -> BoundPath.Terminal {
        if names == ["length"], attribute.type.kind == .string {
            return .derived(.length, .attribute(propertyIndex: propertyIndex, attribute))
        }
        guard attribute.type == .composite else {
            throw ObjectPredicateError("'\(attribute.name)' is an attribute: no path leads through it", keyPath: text)
        }
        if names.count > 1, names.last == "length", attribute.member(at: names[...]) == nil,
            let member = attribute.member(at: names.dropLast()), member.type.kind == .string
        {
            return .derived(.length, .member(propertyIndex: propertyIndex, attribute, path: names.dropLast(), member))
        }
        guard let member = attribute.member(at: names[...]) else {
            let reason = "'\(attribute.name)' is a composite without '\(names.joined(separator: "."))'"
            let known = attribute.compositeAttributes.map { "'\($0.name)'" }.joined(separator: ", ")
            throw ObjectPredicateError("\(reason); it has \(known)", keyPath: text)
        }
        return .member(propertyIndex: propertyIndex, attribute, path: names, member)
    }

    private func unknown(_ name: String, of entity: Entity, in text: String) -> ObjectPredicateError {
        if name.hasPrefix("@") {
            return ObjectPredicateError("@count must follow a to-many relationship", keyPath: text)
        }
        let reason = "'\(entity.name)' has no property '\(name)'"
        if let owner = entity.subentities.first(where: { model.entity(named: $0)?.propertyIndex(named: name) != nil }) {
            return ObjectPredicateError("\(reason); its sub-entity '\(owner)' has", keyPath: text)
        }
        let question = String.question(meaning: name.nearest(in: entity.properties.map(\.name)))
        return ObjectPredicateError(reason + question, keyPath: text)
    }

    /// Nil when the names have no aggregate, or only `@count` at the end.
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
        let inner = BoundPath(components: names, steps: Array(path.steps[outer...]), path.terminal, of: path.entity)
        return BoundPath(
            components: components,
            steps: Array(path.steps[..<outer]),
            .aggregate(function, inner),
            of: outer > 0 ? path.steps[outer - 1].destination : entity
        )
    }

    func aggregate(_ function: ObjectPredicate.Aggregate, of path: BoundPath) -> BoundPath {
        let start = path.steps.first?.source ?? entity
        return BoundPath(components: path.components, steps: [], .aggregate(function, path), of: start)
    }

    func function(_ name: String) throws(ObjectPredicateError) -> ObjectPredicate.Aggregate {
        guard name.hasPrefix("@"), let function = ObjectPredicate.Aggregate(rawValue: String(name.dropFirst())) else {
            throw ObjectPredicateError("'\(name)' is not an aggregate", keyPath: name)
        }
        return function
    }

    func check(_ function: ObjectPredicate.Aggregate, _ path: BoundPath) throws(ObjectPredicateError) {
        switch path.terminal {
        case .attribute, .member: if function.takes(path.kind) { return }
        default: break
        }
        throw ObjectPredicateError("'\(path.text)' has nothing for @\(function.rawValue)", keyPath: path.text)
    }
}

extension String {
    var keyPathComponents: [String] {
        self == "SELF" ? [] : split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }
}
