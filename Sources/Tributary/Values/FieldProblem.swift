import TributaryModel

/// A key of a class that represents no property of the class's entity, or a property without a key in the class.
public struct FieldProblem: Hashable, Sendable, CustomStringConvertible {
    /// The class that declares or lacks the key.
    public var className: String
    /// The entity of the class.
    public var entity: String
    /// The declared or missing key: `Field<String>("name")`.
    public var field: String
    /// Whether the class lists no key for the property.
    public var isMissing: Bool
    /// The problem and its remedy.
    public var reason: String

    init(_ field: any DeclaredField, in descriptor: EntityDescriptor, reason: String) {
        className = "\(descriptor.type)"
        entity = descriptor.entity.name
        // `Field<String>`, without the module.
        self.field = "\(type(of: field))(\"\(field.name)\")"
        isMissing = false
        self.reason = reason
    }

    /// Swift finds a member of ``ManagedObject`` before it asks ``FieldAccess`` for a key of the same name.
    fileprivate init(hidden field: any CheckedField, in descriptor: EntityDescriptor) {
        let accessor = field.accessor + "_"
        self.init(
            field,
            in: descriptor,
            reason: "objects have a member '\(field.accessor)', which hides the property: declare the key as "
                + "`static let \(accessor) = \(type(of: field))(\"\(field.name)\", accessor: \"\(accessor)\")` "
                + "and write `object.\(accessor)`"
        )
    }

    fileprivate init(missing property: Property, in descriptor: EntityDescriptor, target: ManagedObject.Type) {
        className = "\(descriptor.type)"
        entity = descriptor.entity.name
        let isHidden = descriptor.type is any FieldAccess.Type && InheritedMembers.names.contains(property.name)
        let accessor = isHidden ? property.name + "_" : property.name
        field = property.key(to: target, accessor: isHidden ? accessor : nil)
        isMissing = true
        reason =
            "add `static let \(accessor) = \(field)` to the class, if it does not have it, and list it in "
            + "declaredFields; a class that leaves properties out overrides declaresEveryProperty with false"
    }

    /// The class, the key, the entity and the problem.
    public var description: String {
        isMissing
            ? "the class \(className) lists no key \(field) for the entity '\(entity)': \(reason)"
            : "\(field) of the class \(className) does not fit the entity '\(entity)': \(reason)"
    }
}

extension EntityDescriptor {
    func fieldProblems(in model: Model, _ classes: [String: ManagedObject.Type]) -> [FieldProblem] {
        let fields = type.allDeclaredFields
        let mismatches =
            fields.compactMap { field in
                (field as? any CheckedField)?.mismatch(in: self).map { FieldProblem(field, in: self, reason: $0) }
            } + hiddenFields(fields)
        guard type.listsEveryProperty else { return mismatches }
        var listed = Set(fields.map(\.name))
        // Missing keys in the class of an ancestor are reported only for that class, or are left out there.
        if let name = entity.parent, let parent = classes[name], parent != ManagedObject.self, type.isKind(of: parent) {
            listed.formUnion(model.entity(named: name)?.properties.map(\.name) ?? [])
        }
        let missing = entity.properties.filter { !listed.contains($0.name) }.map { property in
            let target = property.relationship.flatMap { classes[$0.destination] } ?? ManagedObject.self
            return FieldProblem(missing: property, in: self, target: target)
        }
        return mismatches + missing
    }

    private func hiddenFields(_ fields: [any DeclaredField]) -> [FieldProblem] {
        guard type is any FieldAccess.Type else { return [] }
        return fields.compactMap { $0 as? any CheckedField }.filter { InheritedMembers.names.contains($0.accessor) }
            .map { FieldProblem(hidden: $0, in: self) }
    }
}

extension ManagedObject {
    fileprivate static var listsEveryProperty: Bool { declaresEveryProperty && !allDeclaredFields.isEmpty }
}

extension Property {
    func key(to target: ManagedObject.Type, accessor: String? = nil) -> String {
        let literal = "\"\(name)\"" + (accessor.map { ", accessor: \"\($0)\"" } ?? "")
        switch self {
        case .relationship(let relationship, _):
            return "\(relationship.isToMany ? "ToMany" : "ToOne")<\(target)>(\(literal))"
        case .attribute(let attribute):
            if attribute.type == .transformable, let type = attribute.customClassName, !type.isEmpty {
                let isNamed = attribute.valueTransformerName?.isEmpty == false
                return "TransformableField<\(type)>(\(isNamed ? "registered: " : "")\(literal))"
            }
            return "Field<\(attribute.swiftName)\(attribute.isOptional ? "?" : "")>(\(literal))"
        }
    }
}

protocol CheckedField: DeclaredField {
    var accessor: String { get }
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
                ? "give the container a class for it" : "its class is \(type), which is not a \(target)"
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

enum CheckedProperty<Property> {
    case property(Property)
    case mismatch(String)

    var mismatch: String? {
        if case .mismatch(let text) = self { text } else { nil }
    }
}
