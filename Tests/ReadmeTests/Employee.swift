import Tributary

@MainActor
func hire(_ name: String, store: String) async throws -> [String] {
    let (model, classes) = (try TillModel.model(), TillModel.classes)
    let container = try await PersistentContainer(name: "till", path: store, model: model, classes: classes)
    try await container.newBackgroundContext(author: "hiring").perform { context in
        try context.insert(Employee.self).name = name
        try context.save()  // durable, and announced to the main context
    }
    await container.mergePendingChanges()  // now, not within a second
    let request = try FetchRequest<Employee>(where: "name BEGINSWITH %@", "A")
    let names = try container.viewContext.fetch(request).map(\.name)
    try await container.close()
    return names
}
