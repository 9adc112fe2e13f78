import Tributary

func stream(_ background: BackgroundContext, _ names: AsyncStream<String>.Continuation) async throws {
    #if MISUSE
        let (_, employees) = AsyncStream<Employee>.makeStream()
    #endif
    try await background.perform { context in
        let employee = try context.insert(Employee.self)
        #if MISUSE
            employees.yield(employee)  // error:
        #endif
        names.yield(employee.name)
    }
}
