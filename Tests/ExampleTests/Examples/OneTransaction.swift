import Tributary

/// Moves an employee from one company to another in two saves that are one transaction: both, or none.
func move(
    _ employee: ManagedObjectID,
    to company: ManagedObjectID,
    allowed: Bool,
    with background: BackgroundContext
) async throws {
    struct NotAllowed: Error {}
    try await background.container.coordinator.perform(on: background) { context in
        let employee = context.object(with: employee, as: Employee.self)
        employee?.company = nil
        try context.save()
        guard allowed else { throw NotAllowed() }
        employee?.company = context.object(with: company, as: Company.self)
        try context.save()
    }
}
