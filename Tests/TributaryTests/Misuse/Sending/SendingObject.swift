import Tributary

@MainActor
func send(_ container: PersistentContainer, _ background: BackgroundContext) async throws {
    let employee = try container.viewContext.insert(Employee.self)
    #if MISUSE
        background.enqueue(with: employee) { _, employee in print(employee.name) }  // error:
    #else
        background.enqueue(with: employee.objectID) { context, id in print(context.object(with: id)) }
    #endif
}
