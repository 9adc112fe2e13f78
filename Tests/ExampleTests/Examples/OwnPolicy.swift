import Tributary

/// Saves a new name under a policy of the program's own: of two names the longer one stays.
///
/// `meanwhile` is what others do between the reading and the saving; returns the name in the end.
func rename(
    _ id: ManagedObjectID,
    to name: String,
    in container: PersistentContainer,
    meanwhile: () async throws -> Void
) async throws -> String? {
    let background = container.newBackgroundContext(name: "renaming")
    try await background.perform { context in
        let company = try context.existingObject(with: id) as? Company
        company?.name = name
    }
    try await meanwhile()
    return try await background.perform { context in
        // It runs inside the save and may use the live object.
        context.resolveConflict = { object, conflict in
            guard let company = object as? Company, case .string(let stored)? = conflict.stored?["name"] else {
                return nil  // left to the context's merge policy
            }
            return stored.count > company.name.count ? .storeTrump : .objectTrump
        }
        try context.save()
        return (try context.existingObject(with: id) as? Company)?.name
    }
}
