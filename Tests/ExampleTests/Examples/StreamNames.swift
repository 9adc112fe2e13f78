import Tributary

/// Shows the names of all employees as they arrive, some at a time, all of one generation.
@MainActor
func streamNames(of container: PersistentContainer, show: ([String]) -> Void) async throws {
    var request = FetchRequest("Employee", sortKeys: [SortKey("name")])
    request.fetchBatchSize = 20
    // The search runs off the main actor; what comes here are plain values.
    for try await portion in container.stream(request) {
        show(
            portion.map { employee in
                if case .string(let name) = employee["name"] { name } else { "" }
            }
        )
    }
}
