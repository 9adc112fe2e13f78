import Tributary

#if MISUSE
    struct Refused: Error {
        let employee: Employee  // error:
    }
#else
    struct Refused: Error {
        let employee: ManagedObjectID
    }
#endif

func refuse(_ background: BackgroundContext) async throws {
    try await background.perform { context in
        let employee = try context.insert(Employee.self)
        #if MISUSE
            throw Refused(employee: employee)
        #else
            throw Refused(employee: employee.objectID)
        #endif
    }
}
