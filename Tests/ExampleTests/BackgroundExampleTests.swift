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

    /// The timer cannot end before the load, because its times are hours.
    @Test @MainActor func loadsFiveTimesFiveCompaniesAsOneUpdate() async throws {
        let folder = try TemporaryFolder("example")
        var merging = MergeOptions()
        (merging.debounce, merging.ceiling) = (.seconds(3600), .seconds(3600))
        let container = try await PersistentContainer(
            name: "companies",
            path: folder.path("store.sqlite"),
            model: try Model(contentsOf: ExampleStore.model),
            classes: [Company.self, Employee.self],
            merging: merging
        )
        var updates = container.storeUpdates().makeAsyncIterator()
        try await loadCompanies(into: container)
        #expect(try container.viewContext.count(for: FetchRequest("Company")) == 0, "the timer has not ended")
        await container.mergePendingChanges()
        #expect(try #require(await updates.next()).changes.inserted.count == 25)
        let names = try container.viewContext.fetch(Company.self, sortKeys: [SortKey("name")]).map(\.name)
        #expect(names.count == 25)
        #expect(names.first == "Company 1.1")
        #expect(names.last == "Company 5.5")
        try await container.close()
        #expect(await updates.next() == nil, "five saves, one update")
    }

    @Test @MainActor func theTimerShowsTheCompaniesAfterASecond() async throws {
        let store = try await ExampleStore()
        let started = ContinuousClock.now
        var updates = store.container.storeUpdates().makeAsyncIterator()
        try await loadCompanies(into: store.container)
        var shown = 0
        while shown < 25 {
            let inserted = try #require(await updates.next()).changes.inserted.count
            #expect(inserted.isMultiple(of: 5), "an update never shows a part of a save")
            shown += inserted
        }
        #expect(shown == 25)
        #expect(ContinuousClock.now - started >= .seconds(1))
        #expect(try store.container.viewContext.count(for: FetchRequest("Company")) == 25)
        try await store.container.close()
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
            let container = try await openCompanies(path)
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
        let again = try await openCompanies(store.folder.path("store.sqlite"))
        let left = try await again.performBackgroundTask { try $0.count(for: FetchRequest("Company")) }
        #expect(left == 0, "what was accepted before the end is saved")
        try await again.close()
    }
}
