import Tributary

@concurrent
func length(_ name: String) async -> Int { name.count }

@MainActor
func measure(_ container: PersistentContainer) async throws -> Int {
    let employee = try container.viewContext.insert(Employee.self)
    #if MISUSE
        async let count = length(employee.name)  // error:
    #else
        let name = employee.name
        async let count = length(name)
    #endif
    employee.name = "Ann"
    return await count
}
