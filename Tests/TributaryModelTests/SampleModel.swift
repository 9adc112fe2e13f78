import TributaryChanges
import TributaryModel

/// A model of people, departments and projects with every kind of property that predicates and sort keys can use.
enum SampleModel {
    static func make() throws -> Model {
        var person = EntityDefinition(name: "Person")
        person.isAbstract = true
        person.attributes = [
            attribute("name", .string), attribute("born", .date), attribute("photo", .binary),
            attribute("site", .uri),
        ]
        var employee = EntityDefinition(name: "Employee")
        employee.parent = "Person"
        employee.attributes = [
            attribute("salary", .double), attribute("level", .integer32), attribute("active", .boolean),
            attribute("code", .uuid), attribute("balance", .decimal), attribute("like", .string),
        ]
        var note = attribute("note", .string)
        note.isTransient = true
        employee.attributes.append(note)
        employee.relationships = [
            relationship("department", "Department", inverse: "employees"),
            relationship("projects", "Project", inverse: "members", toMany: true),
            relationship("boss", "Employee", inverse: "reports"),
            relationship("reports", "Employee", inverse: "boss", toMany: true),
        ]
        var department = EntityDefinition(name: "Department")
        department.attributes = [attribute("title", .string)]
        department.relationships = [
            relationship("employees", "Employee", inverse: "department", toMany: true),
            relationship("lead", "Employee"),
        ]
        var project = EntityDefinition(name: "Project")
        project.attributes = [attribute("title", .string), attribute("hours", .integer64)]
        project.relationships = [relationship("members", "Employee", inverse: "projects", toMany: true)]
        return try Model(version: "1", entities: [person, employee, department, project])
    }

    private static func attribute(_ name: String, _ type: AttributeType) -> Attribute {
        var attribute = Attribute(name: name, type: type)
        attribute.isOptional = true
        return attribute
    }

    private static func relationship(
        _ name: String,
        _ destination: String,
        inverse: String? = nil,
        toMany: Bool = false
    ) -> Relationship {
        var relationship = Relationship(name: name, destination: destination, inverse: inverse)
        relationship.isOptional = true
        relationship.isToMany = toMany
        return relationship
    }
}
