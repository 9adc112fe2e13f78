import Tributary

extension PersistentContainer {
    @discardableResult
    func hire(_ name: String, salary: Double? = nil) async throws -> ManagedObjectID {
        try await performBackgroundTask { context in
            let employee = try context.hire(name)
            employee.salary = salary
            try context.save()
            return employee.objectID
        }
    }
}
