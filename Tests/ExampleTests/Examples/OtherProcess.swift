import Tributary

/// Waits until the main context shows an employee of the name, whoever has saved it: this process or another.
@MainActor
func waitForEmployee(named name: String, in container: PersistentContainer) async throws -> ObjectSnapshot? {
    let updates = container.storeUpdates()  // before looking, so that nothing comes in between
    let request = try FetchRequest("Employee", where: "name == %@", name)
    if let employee = try container.viewContext.fetch(request).first { return employee.snapshot() }
    for await _ in updates {
        if let employee = try container.viewContext.fetch(request).first { return employee.snapshot() }
    }
    return nil
}

/// The other program: it knows nothing of the first one but the path of the store.
func hire(_ name: String, store path: String) async throws {
    let container = try await openCompanies(path)
    try await container.newBackgroundContext(name: "hiring", author: "other program").perform { context in
        try context.insert(Employee.self).name = name
        try context.save()
    }
    try await container.close()
}
