import Tributary

@MainActor
func later(_ container: PersistentContainer) throws {
    let employee = try container.viewContext.insert(Employee.self)
    let name = employee.name
    #if MISUSE
        Task.detached { print(employee.name) }  // error:
    #endif
    Task.detached { print(name) }
    // A task of the main actor may use objects of the view context.
    Task { print(employee.name) }
}
