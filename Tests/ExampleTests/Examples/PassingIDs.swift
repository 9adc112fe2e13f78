import Tributary

/// Makes a company in the background and shows it on the main actor: only the ID crosses.
@MainActor
func found(_ name: String, in container: PersistentContainer) async throws -> Company? {
    let (id, token) = try await container.performBackgroundTask { context in
        let company = try context.insert(Company.self)
        company.name = name
        try context.save()
        return (company.objectID, context.lastSaveToken)
    }
    // The main context shows one generation until its timer ends; whoever hands over an ID can cut that short.
    if let token { await container.mergePendingChanges(through: token) }
    return try container.viewContext.existingObject(with: id) as? Company
}
