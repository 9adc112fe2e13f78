import Tributary
import TributaryModel

final class Employee: ManagedObject {
    override class var entityName: String { "Employee" }
    static let name = Field<String>("name")
    override class var declaredFields: [any DeclaredField] { [name] }
    var name: String {
        get { self[Employee.name] }
        set { self[Employee.name] = newValue }
    }
}

@MainActor
func hire(_ name: String, store: String, model: String) async throws -> [String] {
    let model = try Model(contentsOf: model)
    let container = try await PersistentContainer(name: "till", path: store, model: model, classes: [Employee.self])
    try await container.newBackgroundContext(author: "hiring").perform { context in
        try context.insert(Employee.self).name = name
        try context.save()  // durable, and announced to the main context
    }
    await container.mergePendingChanges()  // now, not within a second
    let request = try FetchRequest<Employee>(where: "name BEGINSWITH %@", "A")
    let names = try container.viewContext.fetch(request).map(\.name)
    try await container.close()
    return names
}
