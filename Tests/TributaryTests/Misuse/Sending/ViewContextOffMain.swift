import Tributary

@concurrent
func count(_ container: PersistentContainer) async throws -> Int {
    #if MISUSE
        return try container.viewContext.count(for: FetchRequest("Employee"))  // error:
    #else
        return try await MainActor.run { try container.viewContext.count(for: FetchRequest("Employee")) }
    #endif
}
