import Tributary

func rename(_ background: BackgroundContext) async throws {
    try await background.perform { context in
        let employee = try context.insert(Employee.self)
        let name = employee.name
        #if MISUSE
            let later: @Sendable () -> Void = { employee.name = "Ann" }  // error:
        #else
            let later: @Sendable () -> Void = { print(name) }
        #endif
        later()
    }
}
