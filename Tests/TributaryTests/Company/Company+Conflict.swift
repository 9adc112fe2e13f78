import Testing
import Tributary

extension Company {
    /// An employee that one context has named "Here" and not saved, and another has changed and saved: the first is in
    /// conflict when it saves.
    static func conflict(
        in container: PersistentContainer,
        name: String? = nil,
        change: @escaping @Sendable (Employee) -> Void = { $0.name = "There" }
    ) async throws -> (context: BackgroundContext, employee: ManagedObjectID) {
        let background = container.newBackgroundContext(name: name)
        let id = try await background.perform { context in
            let employee = try context.hire("Ann")
            try context.save()
            employee.name = "Here"
            return employee.objectID
        }
        try await container.performBackgroundTask { context in
            change(try context.existingObject(with: id, as: Employee.self))
            try context.save()
        }
        return (background, id)
    }
}
