import Tributary

@MainActor
func hand(_ container: PersistentContainer, _ background: BackgroundContext) async throws {
    let employee = try container.viewContext.insert(Employee.self)
    let id = employee.objectID
    await background.perform { context in
        #if MISUSE
            employee.name = "Ann"  // error:
        #endif
        _ = context.object(with: id)
    }
}
