import Tributary

/// Searches in the background and shows the results on the main actor, some at a time: only IDs cross.
@MainActor
func showEmployees(
    earningMoreThan salary: Double,
    of container: PersistentContainer,
    show: ([Employee]) -> Void
) async throws {
    let ids = try await container.performBackgroundTask { context in
        let minimum = PredicateArgument.value(.double(salary))
        return try context.fetchIDs(
            FetchRequest("Employee", where: "salary > %f", minimum, sortKeys: [SortKey("name")])
        )
    }
    await container.mergePendingChanges()
    for start in stride(from: 0, to: ids.count, by: 20) {
        let some = ids[start..<min(start + 20, ids.count)]
        // Faults: each loads its row when a property is read.
        show(some.compactMap { container.viewContext.object(with: $0, as: Employee.self) })
        await Task.yield()
    }
}
