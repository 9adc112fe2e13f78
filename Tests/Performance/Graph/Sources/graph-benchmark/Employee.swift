import Tributary

/// The object that the benchmark creates, reads and writes; it has the six attributes of the import benchmark.
final class Employee: ManagedObject, FieldAccess {
    override class var entityName: String { "Employee" }
    static let name = Field<String>("name")
    static let note = Field<String>("note")
    static let salary = Field<Double>("salary")
    static let badge = Field<Int>("badge")
    /// Read through the key alone.
    static let pay = Field<Double>("salary")

    var name: String {
        get { self[Employee.name] }
        set { self[Employee.name] = newValue }
    }
    var note: String {
        get { self[Employee.note] }
        set { self[Employee.note] = newValue }
    }
    var salary: Double {
        get { self[Employee.salary] }
        set { self[Employee.salary] = newValue }
    }
    var badge: Int {
        get { self[Employee.badge] }
        set { self[Employee.badge] = newValue }
    }

    static func model() throws -> Model {
        var employee = EntityDefinition(name: "Employee")
        employee.attributes = [
            attribute("name", .string, .string("")), attribute("note", .string, .string("")),
            attribute("salary", .double, .double(0)), attribute("hired", .date, .date(0)),
            attribute("badge", .integer64, .integer(0)), attribute("active", .boolean, .boolean(true)),
        ]
        return try Model(version: "benchmark", entities: [employee])
    }

    private static func attribute(_ name: String, _ type: AttributeType, _ value: PropertyValue) -> Attribute {
        var attribute = Attribute(name: name, type: type)
        attribute.defaultValue = value
        return attribute
    }
}
