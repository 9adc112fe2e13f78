import Synchronization
import TestSupport
import Testing
import Tributary

/// A store that was made with the first version of the model, opened with a later one.
@Suite struct MigrationExampleTests {
    private static func version(_ name: String) -> String { "\(ExampleStore.model)/\(name).xcdatamodel" }

    /// A store of the first version with two companies and an employee each; the IDs of the companies.
    private func makeStore() async throws -> (TemporaryFolder, [ManagedObjectID]) {
        let store = try await ExampleStore()
        let ids = try await store.companies(["A", "B"])
        try await store.container.performBackgroundTask { context in
            context.object(with: ids[1], as: Company.self)?.city = "Bern"
            try context.save()
        }
        try await store.container.close()
        return (store.folder, ids)
    }

    @Test func bringsTheStoreToTheSecondVersion() async throws {
        let (folder, ids) = try await makeStore()
        let heard = Mutex<[MigrationProgress]>([])
        let path = folder.path("store.sqlite")
        let container = try await openMigrating(path, model: Self.version("Company 2")) { progress in
            heard.withLock { $0.append(progress) }
        }
        let employees = try await container.performBackgroundTask { context in
            try context.fetch(FetchRequest("Employee", sortKeys: [SortKey("name")])).map { $0.snapshot() }
        }
        #expect(employees.map { $0["name"] } == [.string("A's first"), .string("B's first")])
        #expect(employees.map { $0["monthly"] } == [.double(1000), .double(1000)], "the values went along")
        #expect(employees.map { $0["email"] } == [.string("a's first@example.org"), .string("b's first@example.org")])
        let cities = try await container.performBackgroundTask { context in
            try ids.map { try context.existingObject(with: $0).value(forKey: "city") }
        }
        #expect(cities == [.string("unknown"), .string("Bern")])
        try await container.performBackgroundTask { context in
            let office = try context.insert(entity: "Office")
            try office.setValue(.string("Marktgasse"), forKey: "street")
            try context.save()
        }
        let progress = heard.withLock { $0 }
        #expect(progress.first?.from == "Company" && progress.first?.to == "Company 2")
        #expect(progress.last?.done == progress.last?.total)
        try await container.close()

        // The second time there is nothing to do.
        heard.withLock { $0 = [] }
        let again = try await openMigrating(path, model: Self.version("Company 2")) { progress in
            heard.withLock { $0.append(progress) }
        }
        #expect(heard.withLock { $0.isEmpty })
        try await again.close()
    }

    @Test func refusesWhatItCannotInferAndChangesNothing() async throws {
        let (folder, ids) = try await makeStore()
        let path = folder.path("store.sqlite")
        let refused = await #expect(throws: MigrationError.self) {
            let container = try await openMigrating(path, model: Self.version("Company 3")) { _ in }
            try await container.close()
        }
        guard case .notInferable(_, _, let refusals) = refused else {
            Issue.record("\(String(describing: refused))")
            return
        }
        #expect(refusals.map(\.entity) == ["Employee"] && refusals.map(\.property) == ["name"])
        let container = try await openCompanies(path)
        let names = try await container.performBackgroundTask { context in
            try ids.map { try #require(try context.existingObject(with: $0) as? Company).name }
        }
        #expect(names == ["A", "B"])
        try await container.close()
    }

    @Test func anOlderProgramIsRefused() async throws {
        let (folder, _) = try await makeStore()
        let path = folder.path("store.sqlite")
        try await openMigrating(path, model: Self.version("Company 2")) { _ in }.close()
        await #expect(throws: MigrationError.self) {
            try await openCompanies(path).close()
        }
    }
}
