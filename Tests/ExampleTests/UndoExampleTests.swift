import Testing
import Tributary

@Suite struct UndoExampleTests {
    @Test @MainActor func takesBackADeletionWithItsCascade() async throws {
        let store = try await ExampleStore()
        let ids = try await store.companies(["A"])
        try await store.container.settled()
        let context = store.container.viewContext
        let company = try #require(context.object(with: ids[0], as: Company.self))
        #expect(company.employees.count == 1)
        let story = removeAndRestore(company, in: context)
        #expect(story == ["Remove company: 2 deleted", "undone: 0 deleted", "redone: 2 deleted"])
        try await store.container.close()
    }
}
