import TributaryChanges

/// Segments of writers with an older version contain former names; a current name of the model has precedence.
package struct FormerNames: Sendable {
    let model: Model
    private var entities: [String: String] = [:]
    private var properties: [String: [String: String]] = [:]
    private var removedEntities: [String: String] = [:]
    private var roots: [String: Root] = [:]
    private var removedProperties: [String: [String: RemovedProperty]] = [:]

    package enum Root: Sendable, Hashable {
        case surviving(String)
        /// The root was removed too; this was its last name.
        case removed(String)
    }

    package struct Counterpart: Sendable, Hashable {
        package var entity: String
        package var property: String
    }

    package struct RemovedProperty: Sendable {
        package var definition: Property
        /// True also when only the inverse was ordered.
        package var isOrdered = false
        package var counterpart: Counterpart?
        /// The last name of the inverse, if the inverse was removed in a later version than the property.
        package var laterInverse: Counterpart?
    }

    package init(of model: Model) {
        self.model = model
        for entity in model.entities {
            insert(entity.renamingIdentifier, ofEntity: entity.name)
            for property in entity.properties {
                insert(property.renamingIdentifier, ofProperty: property.name, of: entity)
            }
        }
    }

    // MARK: Insertion

    /// A current name, or a known name of any entity, is left unchanged.
    package mutating func insert(_ former: String?, ofEntity entity: String) {
        guard let former, !former.isIdentical(to: entity), model.entity(named: former) == nil,
            entities[former] == nil, removedEntities[former] == nil
        else { return }
        entities[former] = entity
    }

    package mutating func insert(_ former: String?, ofProperty property: String, of entity: Entity) {
        guard let former, !former.isIdentical(to: property), entity.propertyIndex(named: former) == nil,
            properties[entity.name]?[former] == nil, removedProperties[entity.name]?[former] == nil
        else { return }
        properties[entity.name, default: [:]][former] = property
    }

    package mutating func insertRemoved(entity former: String, lastName: String) {
        if model.entity(named: former) == nil, removedEntities[former] == nil { removedEntities[former] = lastName }
    }

    /// Takes the entity's last name; a known root is left unchanged.
    package mutating func setRoot(_ root: Root, ofRemoved entity: String) {
        if roots[entity] == nil { roots[entity] = root }
    }

    /// Takes the last name of its entity and one of its own former names; a known name is left unchanged.
    package mutating func insertRemoved(_ property: RemovedProperty, named former: String, of entity: String) {
        if removedProperties[entity]?[former] == nil { removedProperties[entity, default: [:]][former] = property }
    }

    // MARK: Lookup

    package func entity(_ name: String) -> String? { FormerNames.value(of: name, in: entities) }

    package func property(_ name: String, of entity: String) -> String? {
        FormerNames.value(of: entity, in: properties).flatMap { FormerNames.value(of: name, in: $0) }
    }

    package func lastName(ofEntity name: String) -> String { FormerNames.value(of: name, in: removedEntities) ?? name }

    package func root(ofRemoved name: String) -> Root? { FormerNames.value(of: name, in: roots) }

    package func removedProperty(_ name: String, of entity: String) -> RemovedProperty? {
        FormerNames.value(of: entity, in: removedProperties).flatMap { FormerNames.value(of: name, in: $0) }
    }

    private static func value<Value>(of name: String, in values: [String: Value]) -> Value? {
        guard let index = values.index(forKey: name), values[index].key.isIdentical(to: name) else { return nil }
        return values[index].value
    }
}
