import Tributary

/// Inserts rows without making objects, raises what is there, and removes some: three transactions in history.
func fill(_ container: PersistentContainer, with names: [String]) async throws {
    let rows: [[String: PropertyValue]] = names.map { ["name": .string($0), "salary": .double(1000)] }
    try await container.execute(BatchInsertRequest("Employee", rows: rows))
    try await container.execute(BatchUpdateRequest("Employee", setting: ["salary": .value(.double(1200))]))
    try await container.execute(
        BatchDeleteRequest("Employee", predicate: ObjectPredicate(parsing: "name BEGINSWITH 'X'"))
    )
}
