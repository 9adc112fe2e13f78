import TributaryModel

/// The properties of a class, inherited ones first, each group in the order of the model file.
struct ClassMembers {
    let all: [ClassMember]

    /// Types that the generated class names; a member with such a name would shadow the type.
    private static let usedTypes: Set<String> = ["Field", "Set", "ToMany", "ToOne", "TransformableField"]

    init(_ entity: Entity, in model: Model, names: TypeNames) {
        let lineage = (entity.ancestors.reversed() + [entity.name]).compactMap { model.entity(named: $0) }
        var taken = SwiftName.inheritedMembers.union(SwiftName.generatedMembers).union(names.classes.values)
            .union(ClassMembers.usedTypes)
        var members: [ClassMember] = []
        // Names of inherited properties are assigned without regard to the children, so that a child finds the same
        // ones.
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
    /// The name without backticks, equal in the class, its keys and its snapshot.
    let name: String
    let isOwn: Bool
    /// The snapshot's name for the ID of a to-one relationship's destination.
    var idName: String?

    var escaped: String { SwiftName.escaped(name) }
}
