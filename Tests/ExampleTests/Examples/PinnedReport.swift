import Tributary

/// A report in several steps that agree with each other, whatever others save between them.
///
/// Returns the number of employees at the beginning and at the end of the report, and then, as it is by now.
func report(of container: PersistentContainer, between: () async throws -> Void) async throws -> [Int] {
    let background = container.newBackgroundContext(name: "report")
    let first = try await background.perform { context in
        try context.pin()  // one generation from here on
        return try context.count(for: FetchRequest("Employee"))
    }
    try await between()
    let last = try await background.perform { try $0.count(for: FetchRequest("Employee")) }
    let now = try await background.perform { context in
        try context.unpin()
        return try context.count(for: FetchRequest("Employee"))
    }
    return [first, last, now]
}
