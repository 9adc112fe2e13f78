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
    /// Lockers and notes have no classes here.
    override class var declaresEveryProperty: Bool { false }

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

final class Foreman: Employee {
    override class var entityName: String { "Foreman" }
    static let bonus = Field<Double?>("bonus")
    override class var declaredFields: [any DeclaredField] { [bonus] }

    var bonus: Double? {
        get { self[Foreman.bonus] }
        set { self[Foreman.bonus] = newValue }
    }
}

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

final class Project: ManagedObject {
    override class var entityName: String { "Project" }
    static let title = Field<String?>("title")
    static let members = ToMany<Employee>("members")

    var title: String? {
        get { self[Project.title] }
        set { self[Project.title] = newValue }
    }
    var members: [Employee] {
        get { self[Project.members] }
        set { self[Project.members] = newValue }
    }
}

final class Badge: ManagedObject {
    override class var entityName: String { "Badge" }
    static let number = Field<Int64?>("number")
    static let owner = ToOne<Employee>("owner")

    var number: Int64? {
        get { self[Badge.number] }
        set { self[Badge.number] = newValue }
    }
    var owner: Employee? {
        get { self[Badge.owner] }
        set { self[Badge.owner] = newValue }
    }
}
