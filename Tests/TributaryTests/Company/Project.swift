import Tributary

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
