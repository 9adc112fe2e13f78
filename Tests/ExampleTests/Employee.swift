import Tributary

final class Employee: ManagedObject {
    override class var entityName: String { "Employee" }
    static let name = Field<String>("name")
    static let salary = Field<Double?>("salary")
    static let company = ToOne<Company>("company")
    override class var declaredFields: [any DeclaredField] { [name, salary, company] }

    var name: String {
        get { self[Employee.name] }
        set { self[Employee.name] = newValue }
    }
    var salary: Double? {
        get { self[Employee.salary] }
        set { self[Employee.salary] = newValue }
    }
    var company: Company? {
        get { self[Employee.company] }
        set { self[Employee.company] = newValue }
    }
}
