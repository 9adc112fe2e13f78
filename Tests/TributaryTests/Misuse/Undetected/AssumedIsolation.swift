import Tributary

nonisolated func count(_ container: PersistentContainer) throws -> Int {
    try MainActor.assumeIsolated { try container.viewContext.count(for: FetchRequest("Employee")) }  // undetected:
}
