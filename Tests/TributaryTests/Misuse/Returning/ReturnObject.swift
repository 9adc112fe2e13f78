import Tributary

func insert(_ background: BackgroundContext) async throws {
    #if MISUSE
        let employee = try await background.perform { context in try context.insert(Employee.self) }  // error:
        print(employee.name)
    #else
        let id = try await background.perform { context in try context.insert(Employee.self).objectID }
        print(id)
    #endif
}
