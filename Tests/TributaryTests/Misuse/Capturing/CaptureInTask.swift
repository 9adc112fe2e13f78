import Tributary

func later(_ background: BackgroundContext) async throws {
    try await background.perform { context in
        let employee = try context.insert(Employee.self)
        let name = employee.name
        #if MISUSE
            Task { print(employee.name) }  // error:
        #endif
        Task { print(name) }
        employee.name = "Ann"
    }
}
