import Tributary

/// Loads five times five companies, each five in a save of their own, while the main actor stays free.
///
/// The main context shows them as one update, a second after the last save.
func loadCompanies(into container: PersistentContainer) async throws {
    let background = container.newBackgroundContext(name: "loader", author: "example")
    try await container.activity("Loading companies") {
        for batch in 1...5 {
            try await background.perform { context in
                for number in 1...5 {
                    let company = try context.insert(Company.self)
                    company.name = "Company \(batch).\(number)"
                }
                try context.save()
            }
        }
    }
}

/// Deletes companies in the background, also those that the main context has in use.
func deleteCompanies(_ ids: [ManagedObjectID], in container: PersistentContainer) {
    // Queued: it counts as pending from here on, and `container.close()` waits for it.
    container.enqueueBackgroundTask { context in
        for id in ids {
            guard let company = try? context.existingObject(with: id) else { continue }
            context.delete(company)
        }
        try? context.save()
    }
}

/// Shows and hides a progress indicator; `activities` is `container.activities()`.
func follow(_ activities: AsyncStream<Activity>, show: @MainActor (Bool) -> Void) async {
    var running = 0
    for await activity in activities {
        running += activity.phase == .started ? 1 : -1
        await show(running > 0)
    }
}
