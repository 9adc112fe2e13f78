import Testing
import Tributary

/// What crosses between contexts.
@Suite struct PassingExampleTests {
    @Test @MainActor func passesAnID() async throws {
        let store = try await ExampleStore()
        let company = try #require(try await found("Aare", in: store.container))
        #expect(company.name == "Aare")
        #expect(company.managedObjectContext === store.container.viewContext)
        try await store.container.close()
    }
}
