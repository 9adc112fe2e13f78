import TributaryChanges
import TributaryModel

/// A small model with every kind of property, and few IDs, so that writers meet at the same objects all the time.
enum SimulationModel {
    static func model() throws -> Model {
        try Model(version: "1", entities: [person, employee, manager, department, project, desk])
    }

    /// The model after it has grown: what some changes name before anybody knows it is there.
    static func grown() throws -> Model {
        var person = person
        person.attributes.append(attribute("nope", .integer64, default: .integer(7)))
        person.relationships.append(relationship("ghost", "Ghost", nil))
        person.relationships.append(relationship("rivals", "Person", nil, many: true))
        var ghost = EntityDefinition(name: "Ghost")
        ghost.attributes = [attribute("name", .string)]
        person.attributes.removeAll { ["level", "nick"].contains($0.name) }
        person.attributes.append(attribute("level", .integer64, default: .integer(1)))
        var alias = attribute("alias", .string)
        alias.renamingIdentifier = "nick"
        person.attributes.append(alias)
        person.relationships.append(relationship("locker", "Desk", "keeper"))
        var desk = desk
        desk.relationships.append(relationship("keeper", "Person", "locker"))
        var contractor = EntityDefinition(name: "Contractor")
        contractor.parent = "Person"
        contractor.attributes = [
            attribute("fee", .integer64, default: .integer(3)), attribute("title", .string, default: .string("hired")),
        ]
        contractor.relationships = [relationship("agency", "Department", nil)]
        return try Model(
            version: "2",
            entities: [person, employee, manager, contractor, department, project, desk, ghost]
        )
    }

    /// Three people, two of each other.
    static func ids(of entity: String) -> [UniqueID] {
        switch entity {
        case "Person", "Employee", "Manager", "Contractor": (1...3).map { UniqueID(high: 0x1000, low: $0) }
        case "Department": (1...2).map { UniqueID(high: 0x2000, low: $0) }
        case "Project": (1...2).map { UniqueID(high: 0x3000, low: $0) }
        case "Ghost": [UniqueID(high: 0x5000, low: 1)]
        default: (1...2).map { UniqueID(high: 0x4000, low: $0) }
        }
    }

    private static func attribute(
        _ name: String,
        _ type: AttributeType,
        rule: MergeRule = .latest,
        default value: PropertyValue = .null
    ) -> Attribute {
        var attribute = Attribute(name: name, type: type)
        attribute.isOptional = true
        attribute.mergeRule = rule
        attribute.defaultValue = value
        return attribute
    }

    private static func relationship(
        _ name: String,
        _ destination: String,
        _ inverse: String?,
        many: Bool = false,
        ordered: Bool = false
    ) -> Relationship {
        var relationship = Relationship(name: name, destination: destination, inverse: inverse)
        relationship.isToMany = many
        relationship.isOrdered = ordered
        relationship.isOptional = true
        return relationship
    }

    private static var person: EntityDefinition {
        var entity = EntityDefinition(name: "Person")
        entity.attributes = [
            attribute("name", .string), attribute("age", .integer64, default: .integer(5)),
            attribute("level", .integer16, default: .integer(1)), attribute("nick", .string),
            attribute("best", .integer64, rule: .max), attribute("least", .integer64, rule: .min),
            attribute("tally", .integer64, rule: .counter, default: .integer(0)),
        ]
        entity.relationships = [
            relationship("department", "Department", "employees"), relationship("desk", "Desk", "owner"),
            relationship("projects", "Project", "members", many: true),
            relationship("friends", "Person", "friends", many: true), relationship("mentor", "Person", nil),
            relationship("visited", "Department", nil, many: true),
        ]
        return entity
    }

    private static var employee: EntityDefinition {
        var entity = EntityDefinition(name: "Employee")
        entity.parent = "Person"
        entity.attributes = [attribute("title", .string, default: .string("none"))]
        return entity
    }

    /// Its title is that of an employee, with another default.
    private static var manager: EntityDefinition {
        var entity = EntityDefinition(name: "Manager")
        entity.parent = "Person"
        entity.attributes = [attribute("title", .string, default: .string("chief"))]
        return entity
    }

    private static var department: EntityDefinition {
        var entity = EntityDefinition(name: "Department")
        entity.attributes = [attribute("title", .string)]
        entity.relationships = [relationship("employees", "Person", "department", many: true, ordered: true)]
        return entity
    }

    private static var project: EntityDefinition {
        var entity = EntityDefinition(name: "Project")
        entity.attributes = [attribute("name", .string)]
        entity.relationships = [relationship("members", "Person", "projects", many: true, ordered: true)]
        return entity
    }

    private static var desk: EntityDefinition {
        var entity = EntityDefinition(name: "Desk")
        entity.attributes = [attribute("label", .string)]
        entity.relationships = [relationship("owner", "Person", "desk")]
        return entity
    }
}
