/// Which entity and which property of a newer model is which of an older one.
///
/// Names and renaming identifiers say so: what is renamed carries, as its identifier, the name it had before or an
/// identifier that it keeps from version to version.
package struct ModelMapping: Sendable {
    /// By name in the newer model: the name in the older.
    package private(set) var entities: [String: String]
    /// By entity and property in the newer model, inherited ones included: the property of the older.
    package private(set) var properties: [String: [String: String]]

    package init(from old: Model, to new: Model) {
        entities = ModelMapping.match(
            old.entities.map { ($0.name, $0.renamingIdentifier) },
            new.entities.map { ($0.name, $0.renamingIdentifier) }
        )
        properties = [:]
        for (newName, oldName) in entities {
            guard let newEntity = new.entity(named: newName), let oldEntity = old.entity(named: oldName) else {
                continue
            }
            properties[newName] = ModelMapping.match(
                oldEntity.properties.map { ($0.name, $0.renamingIdentifier) },
                newEntity.properties.map { ($0.name, $0.renamingIdentifier) }
            )
        }
    }

    /// Through the versions in between: what a step takes away and a later one brings back is another thing.
    package init(from old: Model, through versions: [Model], to new: Model) {
        let chain = [old] + versions + [new]
        self.init(from: chain[0], to: chain[1])
        for (before, after) in zip(chain.dropFirst(), chain.dropFirst(2)) {
            self = ModelMapping(from: before, to: after).after(self)
        }
    }

    /// This mapping after an earlier one.
    package func after(_ earlier: ModelMapping) -> ModelMapping {
        var result = self
        result.entities = entities.compactMapValues { earlier.entities[$0] }
        result.properties = [:]
        for (entity, names) in properties {
            guard let middle = entities[entity], let before = earlier.properties[middle] else { continue }
            result.properties[entity] = names.compactMapValues { before[$0] }
        }
        return result
    }

    /// The older model's name of a property of the newer.
    package func property(_ name: String, of entity: String) -> String? { properties[entity]?[name] }

    /// By name in the older model: the name in the newer.
    package var successors: [String: String] {
        Dictionary(entities.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// From now on the property of the newer model has none in the older, in `entities`.
    package mutating func forget(_ property: String, of entities: [String]) {
        for entity in entities { properties[entity]?[property] = nil }
    }

    private typealias Named = (name: String, identifier: String?)

    /// Each thing of the new list with at most one of the old: first what has kept name and identifier, then what names
    /// its predecessor, then what has the same identifier, then what has the same name.
    private static func match(_ old: [Named], _ new: [Named]) -> [String: String] {
        var result: [String: String] = [:]
        var taken: Set<String> = []
        let byName = Dictionary(old.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let byIdentifier = Dictionary(grouping: old) { $0.identifier ?? $0.name }
        func pass(_ candidate: (Named) -> Named?) {
            for item in new where result[item.name] == nil {
                guard let found = candidate(item), taken.insert(found.name).inserted else { continue }
                result[item.name] = found.name
            }
        }
        pass { item in item.identifier.flatMap { id in byName[item.name].flatMap { $0.identifier == id ? $0 : nil } } }
        pass { item in item.identifier.flatMap { byName[$0] } }
        pass { item in byIdentifier[item.identifier ?? item.name]?.first { !taken.contains($0.name) } }
        pass { item in byName[item.name] }
        return result
    }
}

extension Property {
    /// The name or identifier that it had in the model version before.
    package var renamingIdentifier: String? {
        switch self {
        case .attribute(let attribute): attribute.renamingIdentifier
        case .relationship(let relationship, _): relationship.renamingIdentifier
        }
    }
}
