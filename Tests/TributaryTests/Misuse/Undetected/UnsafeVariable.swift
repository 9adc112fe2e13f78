import Tributary

func later(_ background: BackgroundContext) async throws {
    try await background.perform { context in
        nonisolated(unsafe) let employee = try context.insert(Employee.self)  // undetected:
        Task.detached { print(employee.name) }
    }
}
