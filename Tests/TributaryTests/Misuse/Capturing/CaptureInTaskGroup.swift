import Tributary

@MainActor
func together(_ container: PersistentContainer) async throws {
    let employee = try container.viewContext.insert(Employee.self)
    let name = employee.name
    await withTaskGroup(of: Void.self) { group in
        #if MISUSE
            group.addTask { print(employee.name) }  // error:
        #endif
        group.addTask { print(name) }
    }
    print(employee.name)
}
