import Tributary

/// Two contexts change the same company; the second to save says with its policy what is to happen.
///
/// Returns the company's city and name in the end; throws ``ConflictError`` under the policy `error`.
func conflict(
    under policy: MergePolicy,
    over id: ManagedObjectID,
    in container: PersistentContainer
) async throws -> [String?] {
    let first = container.newBackgroundContext(name: "first")
    let second = container.newBackgroundContext(name: "second", mergePolicy: policy)
    try await second.perform { context in
        guard let company = try context.existingObject(with: id) as? Company else { return }
        company.city = "Bern"
    }
    try await first.perform { context in
        guard let company = try context.existingObject(with: id) as? Company else { return }
        company.city = "Rome"
        company.name = "Roma"
        try context.save()
    }
    try await second.perform { context in try context.save() }
    return try await container.performBackgroundTask { context in
        let company = try context.existingObject(with: id) as? Company
        return [company?.city, company?.name]
    }
}
