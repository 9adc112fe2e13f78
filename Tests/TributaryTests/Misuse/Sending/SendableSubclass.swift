import Tributary

#if MISUSE
    // A warning says that the conformance is unavailable already; it stays so.
    final class Contractor: ManagedObject, @unchecked Sendable {
        override class var entityName: String { "Employee" }
    }
#else
    final class Contractor: ManagedObject {
        override class var entityName: String { "Employee" }
    }
#endif

func insert(_ background: BackgroundContext) async throws {
    #if MISUSE
        let contractor = try await background.perform { try $0.insert(Contractor.self) }  // error:
        print(contractor.objectID)
    #endif
    print(try await background.perform { try $0.insert(Contractor.self).objectID })
}
