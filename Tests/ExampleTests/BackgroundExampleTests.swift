import TestSupport
import Testing
import Tributary

/// Work in the background, and what the main context shows of it.
@Suite struct BackgroundExampleTests {
    @Test func raisesSalariesInTheBackground() async throws {
        let store = try await ExampleStore()
        _ = try await store.companies(["A", "B", "C"])
        #expect(try await raiseSalaries(by: 1.5, in: store.container) == 3)
        let salaries = try await store.container.performBackgroundTask { context in
            try context.fetch(Employee.self).map(\.salary)
        }
        #expect(salaries == [1500, 1500, 1500])
        try await store.container.close()
    }

    @Test @MainActor func loadsFiveTimesFiveCompaniesAsOneUpdate() async throws {
        let store = try await ExampleStore()
        let container = store.container
        let updates = container.storeUpdates()
        let started = ContinuousClock.now
        try await loadCompanies(into: container)
        let shown = try container.viewContext.count(for: FetchRequest("Company"))
        // On a machine that is so slow, the timer may end between two saves: they are shown as they come.
        let isFast = ContinuousClock.now - started < .seconds(1)
        #expect(!isFast || shown == 0, "the timer has not ended")
        var iterator = updates.makeAsyncIterator()
        var counts: [Int] = []
        while counts.reduce(0, +) < 25 {
            let update = try #require(await iterator.next())
            counts.append(update.changes.inserted.count)
        }
        #expect(isFast ? counts == [25] : counts.allSatisfy { $0.isMultiple(of: 5) }, "\(counts)")
        #expect(ContinuousClock.now - started >= .seconds(1))
        let names = try container.viewContext.fetch(Company.self, sortKeys: [SortKey("name")]).map(\.name)
        #expect(names.count == 25)
        #expect(names.first == "Company 1.1")
        #expect(names.last == "Company 5.5")
        try await container.close()
        #expect(await iterator.next() == nil, "five saves, one update")
    }

    @Test func theLoadIsFiveSavesOfFiveCompanies() async throws {
        let store = try await ExampleStore()
        try await loadCompanies(into: store.container)
        let transactions = try store.container.fetchHistory()
        #expect(transactions.map(\.contextName) == Array(repeating: "loader", count: 5))
        #expect(transactions.map(\.author) == Array(repeating: "example", count: 5))
        #expect(transactions.map(\.changes.count) == [5, 5, 5, 5, 5])
        #expect(transactions.flatMap(\.changes).allSatisfy { $0.kind == .insert })
        try await store.container.close()
    }

    @Test @MainActor func deletesArriveOnLiveObjects() async throws {
        let store = try await ExampleStore()
        let container = store.container
        let ids = try await store.companies(["A", "B"])
        await container.mergePendingChanges()
        let companies = try container.viewContext.fetch(Company.self, sortKeys: [SortKey("name")])
        #expect(companies.map(\.name) == ["A", "B"])
        companies[1].city = "Bern"
        var discarded: [ObjectSnapshot] = []
        let observer = container.viewContext.observeChanges { discarded += $0.discarded }
        defer { container.viewContext.removeObserver(observer) }

        var updates = container.storeUpdates().makeAsyncIterator()
        deleteCompanies(ids, in: container)
        let update = try #require(await updates.next())
        #expect(update.changes.deleted.isSuperset(of: ids))
        #expect(companies.map(\.state) == [.gone, .gone])
        #expect(companies.map(\.objectID) == ids, "what is gone keeps its ID")
        #expect(try container.viewContext.count(for: FetchRequest("Company")) == 0)
        #expect(companies.map(\.name) == ["A", "B"], "what was read stays readable")
        #expect(discarded.map(\.id) == [ids[1]])
        #expect(try container.viewContext.count(for: FetchRequest("Employee")) == 0, "the cascade came along")
        try await container.close()
    }

    @Test @MainActor func showsActivity() async throws {
        let store = try await ExampleStore()
        let container = store.container
        let (shown, indicator) = (container.activities(), container.activities())
        try await loadCompanies(into: container)
        await container.mergePendingChanges()
        try await container.close()  // ends the streams
        var load: [Activity.Phase] = []
        for await activity in shown where activity.title == "Loading companies" { load.append(activity.phase) }
        #expect(load == [.started, .finished])
        var states: [Bool] = []
        await follow(indicator) { states.append($0) }
        #expect(states.first == true, "shown while it loads")
        #expect(states.last == false, "and not after it")
    }

    @Test func quittingTheProgramLosesNoPendingSave() async throws {
        let store = try await ExampleStore()
        _ = try await store.companies(["A", "B", "C"])
        await #expect(processExitsWith: .success) { [path = store.folder.path("store.sqlite") as String] in
            let container = try await openCompanies(path, model: ExampleStore.model)
            let ids = try await container.performBackgroundTask { try $0.fetchIDs(FetchRequest("Company")) }
            deleteCompanies(ids, in: container)
            // The program ends here: no close, no waiting of its own.
        }
        let left = try await store.container.performBackgroundTask { try $0.count(for: FetchRequest("Company")) }
        #expect(left == 0)
        try await store.container.close()
    }

    @Test func closingWaitsForAPendingSave() async throws {
        let store = try await ExampleStore()
        let ids = try await store.companies(["A", "B", "C"])
        deleteCompanies(ids, in: store.container)
        try await store.container.close()
        let again = try await openCompanies(store.folder.path("store.sqlite"), model: ExampleStore.model)
        let left = try await again.performBackgroundTask { try $0.count(for: FetchRequest("Company")) }
        #expect(left == 0, "what was accepted before the end is saved")
        try await again.close()
    }
}
