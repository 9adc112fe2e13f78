import TributaryChanges
import TributaryModel

/// The model of the store's tests, with every kind of property that merging distinguishes.
enum SampleModel {
    static func make() throws -> Model {
        try Model(version: "1", entities: definitions)
    }

    /// The model after additions: an entity, a sub-entity, attributes and relationships.
    static func makeGrown() throws -> Model {
        var person = person
        person.attributes.append(attribute("what", .string, default: .string("new")))
        person.attributes.append(attribute("points", .integer64, rule: .counter))
        person.attributes.append(attribute("peak", .integer64, rule: .max))
        person.relationships.append(Relationship(name: "tag", destination: "Tag"))
        person.relationships.append(toMany("friends", "Person", inverse: nil))
        var tag = tag
        tag.attributes[1].defaultValue = .boolean(true)
        var label = EntityDefinition(name: "Label")
        label.parent = "Tag"
        label.attributes = [Attribute(name: "text", type: .string)]
        var unknown = EntityDefinition(name: "Unknown")
        unknown.attributes = [Attribute(name: "what", type: .integer64)]
        unknown.relationships = [Relationship(name: "person", destination: "Person")]
        return try Model(
            version: "2",
            entities: [person, employee, department, passport, project, tag, label, unknown]
        )
    }

    static var definitions: [EntityDefinition] {
        [person, employee, department, passport, project, tag]
    }

    static var person: EntityDefinition {
        var person = EntityDefinition(name: "Person")
        person.attributes = [
            Attribute(name: "name", type: .string), attribute("nick", .string, default: .string("none")),
        ]
        person.relationships = [
            Relationship(name: "passport", destination: "Passport", inverse: "owner"),
            toMany("projects", "Project", inverse: "people"),
        ]
        return person
    }

    static var employee: EntityDefinition {
        var employee = EntityDefinition(name: "Employee")
        employee.parent = "Person"
        employee.attributes = [
            Attribute(name: "salary", type: .double), attribute("best", .integer32, rule: .max),
            attribute("least", .date, rule: .min), attribute("visits", .integer64, rule: .counter),
        ]
        employee.relationships = [
            Relationship(name: "department", destination: "Department", inverse: "employees"),
            Relationship(name: "boss", destination: "Employee"),
        ]
        return employee
    }

    static var department: EntityDefinition {
        var department = EntityDefinition(name: "Department")
        department.attributes = [Attribute(name: "title", type: .string), Attribute(name: "budget", type: .decimal)]
        department.relationships = [toMany("employees", "Employee", inverse: "department")]
        return department
    }

    static var passport: EntityDefinition {
        var passport = EntityDefinition(name: "Passport")
        passport.attributes = [Attribute(name: "number", type: .integer64)]
        passport.relationships = [Relationship(name: "owner", destination: "Person", inverse: "passport")]
        return passport
    }

    static var project: EntityDefinition {
        var project = EntityDefinition(name: "Project")
        project.attributes = [Attribute(name: "name", type: .string), Attribute(name: "data", type: .binary)]
        var tags = toMany("tags", "Tag", inverse: nil)
        tags.isOrdered = true
        project.relationships = [toMany("people", "Person", inverse: "projects"), tags]
        return project
    }

    static var tag: EntityDefinition {
        var tag = EntityDefinition(name: "Tag")
        tag.attributes = [Attribute(name: "key", type: .uuid), Attribute(name: "isOn", type: .boolean)]
        return tag
    }

    static func attribute(
        _ name: String,
        _ type: AttributeType,
        default value: PropertyValue = .null,
        rule: MergeRule = .latest
    ) -> Attribute {
        var attribute = Attribute(name: name, type: type)
        attribute.defaultValue = value
        attribute.mergeRule = rule
        return attribute
    }

    static func toMany(_ name: String, _ destination: String, inverse: String?) -> Relationship {
        var relationship = Relationship(name: name, destination: destination, inverse: inverse)
        relationship.isToMany = true
        return relationship
    }
}

/// Persons (A) and desks (D) with one-to-one owners, shared desks and friends.
enum DeskModel {
    static func make() throws -> Model {
        try Model(
            yaml: """
                version: "1"
                entities:
                  A:
                    relationships:
                      desk: {to: D?, inverse: owner}
                      desks: {to: D, many: true, inverse: people}
                      friends: {to: A, many: true}
                  D:
                    relationships:
                      owner: {to: A?, inverse: desk}
                      people: {to: A, many: true, inverse: desks}
                """
        )
    }
}
