import Tributary

final class Department: ManagedObject {
    override class var entityName: String { "Department" }
    static let title = Field<String?>("title")
    static let employees = ToMany<Employee>("employees")

    var title: String? {
        get { self[Department.title] }
        set { self[Department.title] = newValue }
    }
    var employees: [Employee] {
        get { self[Department.employees] }
        set { self[Department.employees] = newValue }
    }
}
