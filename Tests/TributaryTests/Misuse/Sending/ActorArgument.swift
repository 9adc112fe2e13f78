import Tributary

actor Payroll {
    func pay(_ employee: Employee) { print(employee.name) }
    func pay(_ employee: ManagedObjectID) { print(employee) }
}

@MainActor
func payday(_ container: PersistentContainer, _ payroll: Payroll) async throws {
    let employee = try container.viewContext.insert(Employee.self)
    let id = employee.objectID
    #if MISUSE
        await payroll.pay(employee)  // error:
    #endif
    await payroll.pay(id)
}
