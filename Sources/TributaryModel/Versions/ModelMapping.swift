import TributaryChanges

/// A renaming identifier is the name in the previous version, or an identifier that is kept from version to version.
package struct ModelMapping: Sendable {
    package private(set) var entities: [String: String]
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

    /// A name that one version removes and a later version adds again is a new entity or property.
    package init(from old: Model, through versions: [Model], to new: Model) {
        let chain = [old] + versions + [new]
        self.init(from: chain[0], to: chain[1])
        for (before, after) in zip(chain.dropFirst(), chain.dropFirst(2)) {
            self = ModelMapping(from: before, to: after).after(self)
        }
    }

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

    package func property(_ name: String, of entity: String) -> String? { properties[entity]?[name] }

    package var successors: [String: String] {
        Dictionary(entities.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    }

    package mutating func forget(_ property: String, of entities: [String]) {
        for entity in entities { properties[entity]?[property] = nil }
    }

    private typealias Named = (name: String, identifier: String?)

    private static func match(_ old: [Named], _ new: [Named]) -> [String: String] {
        // Most entities do not change between two versions.
        let isSame = old.elementsEqual(new) { $0.name.isIdentical(to: $1.name) && $0.identifier == $1.identifier }
        if isSame { return Dictionary(uniqueKeysWithValues: new.map { ($0.name, $0.name) }) }
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
