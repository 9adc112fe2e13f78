import Foundation
import TestSupport
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

/// The pattern that users' own tests follow.
@Suite struct TestingExampleTests {
    @Test @MainActor func needsNoSleep() async throws {
        let names = try await namesAfterHiring(["Cleo", "Ann", "Bob"], model: ExampleStore.model)
        #expect(names == ["Ann", "Bob", "Cleo"])
    }
}

@Suite struct UndoExampleTests {
    @Test @MainActor func takesBackADeletionWithItsCascade() async throws {
        let store = try await ExampleStore()
        let ids = try await store.companies(["A"])
        try await store.container.settled()
        let context = store.container.viewContext
        let company = try #require(context.object(with: ids[0], as: Company.self))
        #expect(company.staff == ["A's first"])
        let story = removeAndRestore(company, in: context)
        #expect(story == ["Remove company: 2 deleted", "undone: 0 deleted", "redone: 2 deleted"])
        try await store.container.close()
    }
}

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
            try await hire("Zoe", store: path)
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

/// A conflict on save under each policy.
@Suite struct ConflictExampleTests {
    @Test(arguments: [
        (MergePolicy.objectTrump, ["Bern", "Roma"]),
        (.storeTrump, ["Rome", "Roma"]),
        (.overwrite, ["Bern", "A"]),
        (.rollback, ["Rome", "Roma"]),
    ])
    func isDecidedByThePolicy(_ policy: MergePolicy, _ expected: [String?]) async throws {
        let store = try await ExampleStore()
        let ids = try await store.companies(["A"])
        #expect(try await conflict(under: policy, over: ids[0], in: store.container) == expected)
        try await store.container.close()
    }

    @Test func isThrownUnderThePolicyError() async throws {
        let store = try await ExampleStore()
        let ids = try await store.companies(["A"])
        let thrown = await #expect(throws: ConflictError.self) {
            try await conflict(under: .error, over: ids[0], in: store.container)
        }
        let found = try #require(thrown?.conflicts.first)
        #expect(found.objectID == ids[0])
        #expect(found.changedProperties == ["city"])
        #expect(found.changedInStore == ["city", "name"])
        #expect(found.stored?["city"] == .string("Rome"))
        try await store.container.close()
    }

    @Test(arguments: [("Aarebank", "Aare", "Aarebank"), ("Aare", "Aarebank", "Aarebank")])
    func isDecidedByAPolicyOfOnesOwn(_ here: String, _ there: String, _ expected: String) async throws {
        let store = try await ExampleStore()
        let ids = try await store.companies(["A"])
        let name = try await rename(ids[0], to: here, in: store.container) {
            try await store.container.performBackgroundTask { context in
                context.object(with: ids[0], as: Company.self)?.name = there
                try context.save()
            }
        }
        #expect(name == expected)
        let stored = await store.container.performBackgroundTask { context in
            context.object(with: ids[0], as: Company.self)?.name
        }
        #expect(stored == expected)
        try await store.container.close()
    }

    @Test func everyPolicyIsShown() {
        // Four of them are the arguments above; `error` has a test of its own.
        #expect(Set(MergePolicy.allCases) == [.objectTrump, .storeTrump, .overwrite, .rollback, .error])
    }
}

/// Large binaries, composites and Swift values as attributes.
@Suite struct StorageExampleTests {
    private static let model = PackageFolder.path("Tests/ExampleTests/drawings.yaml")

    @Test func aDrawingComesBackAsItWas() async throws {
        let folder = try TemporaryFolder("drawings")
        let picture = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let open = {
            try await PersistentContainer(
                name: "drawings",
                path: folder.path("store.sqlite"),
                model: try Model(contentsOf: Self.model),
                classes: [Drawing.self]
            )
        }
        let first = try await open()
        try await first.performBackgroundTask { context in
            let drawing = try context.insert(Drawing.self)
            drawing.title = "Bern"
            drawing.picture = picture
            drawing.place = Drawing.Place(room: "hall", wall: 2)
            drawing.tags = ["ink", "town"]
            try context.insert(Drawing.self).title = "empty"
            try context.save()
        }
        try await first.close()

        let again = try await open()
        try await again.performBackgroundTask { context in
            let hall = try ObjectPredicate(parsing: "place.room == 'hall'")
            let drawing = try #require(try context.fetch(Drawing.self, predicate: hall).first)
            #expect(drawing.title == "Bern" && drawing.picture == picture)
            #expect(drawing.place == Drawing.Place(room: "hall", wall: 2))
            #expect(drawing.tags == ["ink", "town"])
            let empty = try ObjectPredicate(parsing: "place == NULL")
            let other = try #require(try context.fetch(Drawing.self, predicate: empty).first)
            #expect(other.picture == nil && other.place == nil && other.tags.isEmpty)
        }
        try await again.close()
    }

    @Test func theArticlePrintsTheModelThatIsTested() throws {
        let text = try String(contentsOfFile: Self.model, encoding: .utf8)
        #expect(try Article("Storage").text.contains("```yaml\n\(text)```"))
    }
}
