import TributaryModel

protocol CheckedField: DeclaredField {
    /// Returns why the entity has no property for the key, with a remedy; nil when the key fits.
    func mismatch(in descriptor: EntityDescriptor) -> String?
}

extension CheckedField {
    func attribute(in descriptor: EntityDescriptor) -> CheckedProperty<Attribute> {
        guard let property = descriptor.entity.property(named: name) else { return .mismatch(missing(in: descriptor)) }
        switch property {
        case .attribute(let attribute): return .property(attribute)
        case .relationship(let relationship, _):
            let key = "\(relationship.isToMany ? "ToMany" : "ToOne")<\(relationship.destination)>"
            return .mismatch("'\(name)' is a relationship: declare it as \(key)(\"\(name)\")")
        }
    }

    func relationship(
        in descriptor: EntityDescriptor,
        isToMany: Bool,
        to target: ManagedObject.Type
    ) -> CheckedProperty<Relationship> {
        guard let propertyIndex = descriptor.propertyIndex(named: name),
            descriptor.entity.properties.indices.contains(propertyIndex)
        else {
            return .mismatch(missing(in: descriptor))
        }
        guard let relationship = descriptor.entity.properties[propertyIndex].relationship else {
            let type = descriptor.entity.properties[propertyIndex].attribute?.type.rawValue ?? ""
            return .mismatch("'\(name)' is an attribute of the type \(type): declare it as a Field")
        }
        guard relationship.isToMany == isToMany else {
            let right = relationship.isToMany ? "to-many: declare it as ToMany" : "to-one: declare it as ToOne"
            return .mismatch("'\(name)' is \(right)<\(target)>(\"\(name)\")")
        }
        for (entity, type) in descriptor.properties.targetTypes[propertyIndex] ?? [] where !type.isKind(of: target) {
            let help =
                type == ManagedObject.self
                ? "give the container a class for it" : "its class is \(type), which is no \(target)"
            return .mismatch("'\(name)' leads to objects of the entity '\(entity)', not to \(target): \(help)")
        }
        return .property(relationship)
    }

    private func missing(in descriptor: EntityDescriptor) -> String {
        let names = descriptor.entity.properties.map { "'\($0.name)'" }.sorted()
        let listed = names.prefix(20).joined(separator: ", ") + (names.count > 20 ? ", …" : "")
        return "the entity has no property '\(name)'; it has \(listed.isEmpty ? "none" : listed)"
    }
}

/// The property that a key represents, or why it represents none.
enum CheckedProperty<Property> {
    case property(Property)
    case mismatch(String)

    var mismatch: String? {
        if case .mismatch(let text) = self { text } else { nil }
    }
}

/// How a property can be read and set by name; it is computed once for the entity, because each access needs it.
enum PropertyRole: Sendable {
    case attribute(AttributeType)
    case derived
    case toOne
    case toMany

    init(_ property: Property) {
        switch property {
        case .attribute(let attribute):
            self = attribute.derivationExpression == nil ? .attribute(attribute.type) : .derived
        case .relationship(let relationship, _):
            self = relationship.isToMany ? .toMany : .toOne
        }
    }
}
