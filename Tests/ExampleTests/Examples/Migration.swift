import Tributary

/// Opens a store with a later version of its model and brings it there: in one transaction, or not at all.
///
/// `model` is the path of the version, `progress` hears how far the migration is.
func openMigrating(
    _ path: String,
    model: String,
    progress: @escaping @Sendable (MigrationProgress) -> Void
) async throws -> PersistentContainer {
    // Renaming `salary`, the default for `city` and the new entity are inferred. What cannot be, the program does.
    let addresses = MigrationStage(
        from: "Company",
        to: "Company 2",
        didMigrate: { editor in
            for employee in try editor.objects("Employee") {
                guard case .string(let name) = employee["name"] else { continue }
                try editor.update(employee.id, ["email": .string("\(name.lowercased())@example.org")])
            }
        }
    )
    return try await PersistentContainer(
        name: "companies",
        model: try Model(contentsOf: model),
        store: .file(path),
        migration: MigrationOptions(stages: [addresses], onMigration: progress)
    )
}
