import Tributary

/// A test of an application: a store in memory, work in the background, `settled()`, then the assertion.
@MainActor
func namesAfterHiring(_ names: [String], model: String) async throws -> [String] {
    let container = try await PersistentContainer(
        name: "test",
        model: try Model(contentsOf: model),
        classes: [Company.self, Employee.self],
        store: .memory
    )
    for name in names {
        container.enqueueBackgroundTask { context in
            guard let employee = try? context.insert(Employee.self) else { return }
            employee.name = name
            try? context.save()
        }
    }
    try await container.settled()
    let found = try container.viewContext.fetch(Employee.self, sortKeys: [SortKey("name")]).map(\.name)
    try await container.close()
    return found
}
