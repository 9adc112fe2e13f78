import Tributary

final class Employee: ManagedObject {
    override class var entityName: String { "Employee" }
    static let name = Field<String>("name")

    var name: String {
        get { self[Employee.name] }
        set { self[Employee.name] = newValue }
    }
}
