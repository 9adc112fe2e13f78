import Tributary

class Employee: ManagedObject {
    override class var entityName: String { "Employee" }
    static let name = Field<String>("name")
    static let salary = Field<Double?>("salary")
    static let age = Field<Int16>("age")
    static let code = Field<String?>("code")
    static let mood = Field<String?>("mood")
    static let visits = Field<Int>("visits")
    static let department = ToOne<Department>("department")
    static let projects = ToMany<Project>("projects")
    static let badge = ToOne<Badge>("badge")
    override class var declaredFields: [any DeclaredField] {
        [name, salary, age, code, mood, visits, department, projects, badge]
    }

    var name: String {
        get { self[Employee.name] }
        set { self[Employee.name] = newValue }
    }
    var salary: Double? {
        get { self[Employee.salary] }
        set { self[Employee.salary] = newValue }
    }
    var age: Int16 {
        get { self[Employee.age] }
        set { self[Employee.age] = newValue }
    }
    var code: String? {
        get { self[Employee.code] }
        set { self[Employee.code] = newValue }
    }
    var mood: String? {
        get { self[Employee.mood] }
        set { self[Employee.mood] = newValue }
    }
    var visits: Int {
        get { self[Employee.visits] }
        set { self[Employee.visits] = newValue }
    }
    var department: Department? {
        get { self[Employee.department] }
        set { self[Employee.department] = newValue }
    }
    var projects: [Project] {
        get { self[Employee.projects] }
        set { self[Employee.projects] = newValue }
    }
    var badge: Badge? {
        get { self[Employee.badge] }
        set { self[Employee.badge] = newValue }
    }
}
