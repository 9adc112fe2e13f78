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
        let name = SwiftName.escaped(names.made(forEntity: entity.name))
        let parent = entity.parent.map(names.type(ofEntity:)) ?? names.library("ManagedObject")
        let final = entity.subentities.isEmpty && !names.isOwn(entity: entity.name) ? "final " : ""
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

    /// Predicates use the static keys as `Employee.keys.name`; subclasses inherit them.
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
            // An append changes the array in place.
            + (member.property.relationship.map { $0.isToMany && $0.isOrdered } == true
                ? ["        _modify { yield &\(target) }"] : [])
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

/// Inherited properties come first, each group in the order of the model file.
struct ClassMembers {
    let all: [ClassMember]

    /// A member with one of these names would shadow a type that the generated class uses.
    private static let usedTypes: Set<String> = ["Counted", "Field", "Set", "ToMany", "ToOne", "TransformableField"]

    init(_ entity: Entity, in model: Model, names: TypeNames) {
        let lineage = (entity.ancestors.reversed() + [entity.name]).compactMap { model.entity(named: $0) }
        var taken = InheritedMembers.names.union(SwiftName.generatedMembers).union(names.classes.values)
            .union(ClassMembers.usedTypes)
        var members: [ClassMember] = []
        // An ancestor's names are assigned before the names of its children, so that each child finds the same names.
        for ancestor in lineage {
            var own: [ClassMember] = []
            for name in ancestor.declaredNames {
                guard let property = ancestor.property(named: name) else { continue }
                let identifier = SwiftName.identifier(name, notIn: taken)
                taken.insert(identifier)
                own.append(ClassMember(property: property, name: identifier, isOwn: ancestor.name == entity.name))
            }
            for index in own.indices {
                guard let relationship = own[index].property.relationship, !relationship.isToMany else { continue }
                let identifier = SwiftName.identifier(own[index].name + "ID", notIn: taken)
                taken.insert(identifier)
                own[index].idName = identifier
            }
            members += own
        }
        all = members
    }

    var own: [ClassMember] { all.filter(\.isOwn) }
}

struct ClassMember {
    let property: Property
    let name: String
    let isOwn: Bool
    var idName: String?

    var escaped: String { SwiftName.escaped(name) }
}

struct SnapshotSource {
    let type: String
    let members: ClassMembers
    let attributes: AttributeSource
    let access: String

    private struct Part {
        let name: String
        let type: String
        let comment: String
        let read: String
        let write: String?
        let property: String
        var wrapper = ""
    }

    var lines: [String] {
        let names = attributes.names
        let parts = self.parts
        var lines = [
            "/// The values of an object, which may cross contexts and processes.",
            "\(access)struct Snapshot: \(names.library("TypedSnapshot")) {",
            "    /// Whose values they are.",
            "    \(access)var objectID: \(names.library("ManagedObjectID"))",
        ]
        for part in parts {
            lines += [
                "    /// \(part.comment)",
                "    \(part.wrapper)\(access)var \(SwiftName.escaped(part.name)): \(part.type)",
            ]
        }
        lines += ["", "    /// The values of the object now.", "    \(access)init(_ object: \(type)) {"]
        lines.append("        objectID = object.objectID")
        lines += parts.map { "        self.\(SwiftName.escaped($0.name)) = \($0.read)" }
        lines += ["    }", "", "    /// Sets the object's attributes and to-one relationships; derived ones stay."]
        lines.append("    \(access)func write(to object: \(type)) {")
        lines += parts.compactMap { part in part.write.map { "        \($0)" } }
        lines += ["    }", ""]
        return lines + nameTable(parts, names) + ["}"]
    }

    private var parts: [Part] {
        members.all.compactMap { member in
            let name = member.property.name
            switch member.property {
            case .attribute(let attribute):
                guard attribute.type != .undefined else { return nil }
                let snapshotType = attributes.snapshotType(of: attribute)
                let isSame = snapshotType == attributes.type(of: attribute)
                let key = "\(type).\(member.escaped)"
                let accessor =
                    isSame ? "object.\(member.escaped)" : "object[\(key), as: \(snapshotType).self]"
                let isCounter = attribute.isCounter
                let assignment =
                    isCounter
                    ? "object.set(\(key), to: $\(member.name), of: objectID)"
                    : "\(accessor) = self.\(member.escaped)"
                return Part(
                    name: member.name,
                    type: snapshotType,
                    comment: "The attribute `\(SwiftName.comment(name))`.",
                    read: accessor,
                    write: attribute.derivationExpression == nil ? assignment : nil,
                    property: name,
                    wrapper: isCounter ? "@\(attributes.names.library("Counted")) " : ""
                )
            case .relationship:
                guard let idName = member.idName else { return nil }
                let accessor = "object[idOf: \(type).\(member.escaped)]"
                return Part(
                    name: idName,
                    type: attributes.names.library("ManagedObjectID") + "?",
                    comment: "The object that the relationship `\(SwiftName.comment(name))` leads to.",
                    read: accessor,
                    write: "\(accessor) = self.\(SwiftName.escaped(idName))",
                    property: name
                )
            }
        }
    }

    private func nameTable(_ parts: [Part], _ names: TypeNames) -> [String] {
        let string = names.library("String")
        var lines = [
            "    /// The model's name of the property that a key path leads to.",
            "    \(access)static func propertyName(of path: \(names.library("PartialKeyPath"))<Self>) -> \(string)? {",
        ]
        guard !parts.isEmpty else { return lines + ["        nil", "    }"] }
        lines.append("        switch path {")
        for part in parts {
            lines.append(
                "        case \\Self.\(SwiftName.escaped(part.name)): \(SwiftName.literal(part.property))"
            )
        }
        return lines + ["        default: nil", "        }", "    }"]
    }
}
