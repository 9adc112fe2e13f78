import Tributary

func hand(_ first: BackgroundContext, _ second: BackgroundContext) async throws {
    try await first.perform { context in
        let employee = try context.insert(Employee.self)
        let id = employee.objectID
        second.enqueue { other in
            #if MISUSE
                employee.name = "Ann"  // error:
            #endif
            _ = other.object(with: id)
        }
    }
}
