import TributaryModel

struct ClassSource {
    let entity: Entity
    let names: TypeNames
    private let members: ClassMembers
    private let attributes: AttributeSource
    private let access: String

    init(entity: Entity, model: Model, names: TypeNames, options: GeneratorOptions) {
        self.entity = entity
        self.names = names
        members = ClassMembers(entity, in: model, names: names)
        attributes = AttributeSource(names: names, options: options)
        access = options.access.prefix
    }

    var lines: [String] {
        let name = names.type(ofEntity: entity.name)
        let parent = entity.parent.map(names.type(ofEntity:)) ?? names.library("ManagedObject")
        let final = entity.subentities.isEmpty ? "final " : ""
        let word = entity.isAbstract ? "An object of a sub-entity of" : "An object of the entity"
        let types = members.all.compactMap { $0.property.attribute?.type }
        var lines = AttributeSource.needsFoundation(types) ? ["\(access)import Foundation"] : []
        lines += [
            "\(access)import Tributary",
            "",
            "/// \(word) `\(SwiftName.comment(entity.name))`.",
            "\(access)\(final)class \(name): \(parent) {",
            "    /// The entity's name in the model.",
            "    \(access)override class var entityName: \(names.library("String")) {",
            "        \(SwiftName.literal(entity.name))",
            "    }",
        ]
        if !keys.isEmpty { lines += [""] + keys + [""] + declaredFields }
        for member in members.own { lines += [""] + accessor(member, in: name) }
        let snapshot = SnapshotSource(
            type: name,
            members: members,
            attributes: attributes,
            access: access
        )
        lines += [""] + snapshot.lines.map { $0.isEmpty ? "" : "    " + $0 }
        if entity.parent == nil {
            lines += [
                "",
                "    /// The object as a value.",
                "    \(access)func snapshot() -> Snapshot {",
                "        Snapshot(self)",
                "    }",
            ]
        }
        return lines + ["}"]
    }

    // MARK: Keys

    /// Every static key can be used in predicates too: `Employee.keys.name`; subclasses inherit them.
    private var keys: [String] {
        members.own.flatMap { member in
            [
                "    /// The key of `\(SwiftName.comment(member.property.name))`.",
                "    \(access)static let \(member.escaped) = \(key(member))",
            ]
        }
    }

    private var declaredFields: [String] {
        [
            "    /// The keys that the class declares, for the container to check against the model.",
            "    \(access)override class var declaredFields: [any \(names.library("DeclaredField"))] {",
            "        [",
        ] + members.own.map { "            \($0.escaped)," } + ["        ]", "    }"]
    }

    private func key(_ member: ClassMember) -> String {
        let literal = SwiftName.literal(member.property.name)
        switch member.property {
        case .attribute(let attribute):
            if let registered = attributes.registeredType(of: attribute) {
                return "\(names.library("TransformableField"))<\(registered)>(registered: \(literal))"
            }
            return "\(names.library("Field"))<\(attributes.type(of: attribute))>(\(literal))"
        case .relationship(let relationship, _):
            let kind = names.library(relationship.isToMany ? "ToMany" : "ToOne")
            return "\(kind)<\(names.type(ofEntity: relationship.destination))>(\(literal))"
        }
    }

    // MARK: Accessors

    private func accessor(_ member: ClassMember, in type: String) -> [String] {
        let target = "self[\(type).\(member.escaped)]"
        var (declared, value, newValue) = ("", target, "newValue")
        switch member.property {
        case .attribute(let attribute): declared = attributes.type(of: attribute)
        case .relationship(let relationship, _):
            declared = names.type(ofEntity: relationship.destination)
            if !relationship.isToMany {
                declared += "?"
            } else if relationship.isOrdered {
                declared = "[\(declared)]"
            } else {
                let set = names.library("Set")
                declared = "\(set)<\(declared)>"
                value = "\(set)(\(target))"
                newValue = "newValue.sorted { $0.uniqueID < $1.uniqueID }"
            }
        }
        let isDerived = member.property.attribute?.derivationExpression != nil
        return [
            "    /// \(comment(member.property))",
            "    \(access)var \(member.escaped): \(declared) {",
        ]
            + (isDerived
                ? ["        \(value)"] : ["        get { \(value) }", "        set { \(target) = \(newValue) }"])
            + ["    }"]
    }

    private func comment(_ property: Property) -> String {
        let name = "`\(SwiftName.comment(property.name))`"
        switch property {
        case .attribute(let attribute):
            if attribute.derivationExpression != nil { return "The attribute \(name), which a save computes." }
            if attribute.isTransient { return "The attribute \(name), which is never stored." }
            return "The attribute \(name)."
        case .relationship(let relationship, _):
            guard relationship.isToMany else { return "The relationship \(name)." }
            return relationship.isOrdered ? "The relationship \(name), in its order." : "The relationship \(name)."
        }
    }
}
