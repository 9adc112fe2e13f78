import Testing
import Tributary

/// Snapshots, IDs and values cross between contexts.
@Suite struct PassingExampleTests {
    @Test @MainActor func passesAnID() async throws {
        let store = try await ExampleStore()
        let company = try #require(try await found("Aare", in: store.container))
        #expect(company.name == "Aare")
        #expect(company.managedObjectContext === store.container.viewContext)
        try await store.container.close()
    }

    @Test @MainActor func fetchesIDsInTheBackgroundAndFaultsOnTheMainContext() async throws {
        let store = try await ExampleStore()
        _ = try await store.companies((1...45).map { "Company \($0)" })
        var batches: [Int] = []
        var names: [String] = []
        var faults = 0
        try await showEmployees(earningMoreThan: 999, of: store.container) { employees in
            batches.append(employees.count)
            faults += employees.filter(\.isFault).count
            names += employees.map(\.name)
        }
        #expect(batches == [20, 20, 5])
        #expect(faults == 45, "nothing is loaded before it is read")
        #expect(names == names.sorted())
        #expect(Set(names).count == 45)
        try await store.container.close()
    }
}
