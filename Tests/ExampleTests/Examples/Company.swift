import Tributary

final class Company: ManagedObject {
    override class var entityName: String { "Company" }
    static let name = Field<String>("name")
    static let city = Field<String?>("city")
    static let employees = ToMany<Employee>("employees")
    override class var declaredFields: [any DeclaredField] { [name, city, employees] }

    var name: String {
        get { self[Company.name] }
        set { self[Company.name] = newValue }
    }
    var city: String? {
        get { self[Company.city] }
        set { self[Company.city] = newValue }
    }
    var employees: [Employee] {
        get { self[Company.employees] }
        set { self[Company.employees] = newValue }
    }
}
