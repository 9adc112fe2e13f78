import Tributary

func show(_ background: BackgroundContext) async throws {
    try await background.perform { context in
        let employee = try context.insert(Employee.self)
        let name = employee.name
        #if MISUSE
            Task { @MainActor in print(employee.name) }  // error:
        #endif
        Task { @MainActor in print(name) }
        employee.name = "Ann"
    }
}
