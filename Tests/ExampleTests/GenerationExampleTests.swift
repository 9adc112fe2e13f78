import TestSupport
import Testing
import Tributary

/// Generations: a pinned context, another process, one transaction of several saves.
@Suite struct GenerationExampleTests {
    @Test func aPinnedReportDoesNotMoveWhileOthersSave() async throws {
        let store = try await ExampleStore()
        _ = try await store.companies(["A", "B"])
        let counts = try await report(of: store.container) { _ = try await store.companies(["C"]) }
        #expect(counts == [2, 2, 3])
        try await store.container.close()
    }

    @Test(.timeLimit(.minutes(30))) @MainActor func anotherProcessesSaveIsNoticed() async throws {
        let store = try await ExampleStore()
        let container = store.container
        _ = try await store.companies(["A"])
        let before = try container.currentHistoryToken()
        async let noticed = waitForEmployee(named: "Zoe", in: container)
        await #expect(processExitsWith: .success) { [path = store.folder.path("store.sqlite") as String] in
            try await hire("Zoe", store: path, model: ExampleStore.model)
        }
        let employee = try #require(try await noticed)
        #expect(employee["name"] == .string("Zoe"))
        let transactions = try container.fetchHistory(after: before)
        #expect(transactions.map(\.author) == ["other program"])
        #expect(transactions.map(\.contextName) == ["hiring"])
        #expect(transactions.first?.changes.map(\.objectID) == [employee.id])
        #expect(try container.viewContext.existingObject(with: employee.id).objectID == employee.id)
        try await container.close()
    }

    @Test func severalSavesAreOneTransactionOrNone() async throws {
        let store = try await ExampleStore()
        let container = store.container
        let companies = try await store.companies(["A", "B"])
        let background = container.newBackgroundContext(name: "moving")
        let employee = try await container.performBackgroundTask { context in
            try context.fetchIDs(FetchRequest("Employee", where: "company.name == 'A'"))[0]
        }
        let before = try container.currentHistoryToken()
        await #expect(throws: (any Error).self) {
            try await move(employee, to: companies[1], allowed: false, with: background)
        }
        #expect(try container.currentHistoryToken() == before, "nothing is committed")
        #expect(await background.perform { $0.hasChanges }, "the context keeps its changes")

        try await move(employee, to: companies[1], allowed: true, with: background)
        let transactions = try container.fetchHistory(after: before)
        #expect(transactions.map(\.contextName) == ["moving"])
        let company = await container.performBackgroundTask { context in
            context.object(with: employee, as: Employee.self)?.company?.objectID
        }
        #expect(company == companies[1])
        try await container.close()
    }
}
