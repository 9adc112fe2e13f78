import Foundation
import Testing
import Tributary

@Suite struct BatchExampleTests {
    @Test @MainActor func insertsUpdatesAndDeletesInBatches() async throws {
        let store = try await ExampleStore()
        try await fill(store.container, with: ["Ann", "Bob", "Xaver"])
        try await store.container.settled()
        let employees = try store.container.viewContext.fetch(Employee.self, sortKeys: [SortKey("name")])
        #expect(employees.map(\.name) == ["Ann", "Bob"])
        #expect(employees.map(\.salary) == [1200, 1200])
        let transactions = try store.container.fetchHistory()
        #expect(transactions.map(\.changes.count) == [3, 3, 1])
        #expect(transactions.map { $0.changes.first?.kind } == [.insert, .update, .delete])
        try await store.container.close()
    }

    @Test @MainActor func importsJSONOnAPrivateChild() async throws {
        let store = try await ExampleStore()
        let json = Data(#"[{"name":"A","city":"Bern"},{"name":"B"}]"#.utf8)
        try await importCompanies(json, into: store.container)
        let companies = try store.container.viewContext.fetch(Company.self, sortKeys: [SortKey("name")])
        #expect(companies.map(\.name) == ["A", "B"])
        #expect(companies.map(\.city) == ["Bern", nil])
        let saved = try await store.container.performBackgroundTask { try $0.count(for: FetchRequest("Company")) }
        #expect(saved == 2)
        let transactions = try store.container.fetchHistory()
        #expect(transactions.map(\.changes.count) == [2], "the child's save is none of the store's")
        try await store.container.close()
    }
}
