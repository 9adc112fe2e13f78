import Synchronization
import TestSupport
import Testing

@testable import Tributary

/// Rows that are read once for all contexts, batches, streams, asynchronous fetches.
@MainActor
struct RowCacheTests {
    let folder: TemporaryFolder
    let container: PersistentContainer
    let statements = StatementCounter()

    init() async throws {
        folder = try TemporaryFolder("rows")
        container = try await Company.open(.memory, in: folder, sqlLog: statements.log)
        try await container.performBackgroundTask { context in
            let department = try context.insert(Department.self)
            department.title = "Sales"
            for number in 0..<30 {
                let employee = try context.hire("E\(number + 10)")
                employee.department = department
            }
            try context.save()
        }
        try await container.settled()
    }

    private var request: FetchRequest<ManagedObject> { FetchRequest("Employee", sortKeys: [SortKey("name")]) }

    @Test
    func anIDFetchThatFillsTheCacheSpareFaultsTheirRoundTrip() async throws {
        let ids = try await container.newBackgroundContext().perform {
            try $0.fetchIDs(FetchRequest("Employee", sortKeys: [SortKey("name")]), fillingRowCache: true)
        }
        let view = container.viewContext
        statements.reset()
        let names = ids.map { (view.object(with: $0) as? Employee)?.name }
        #expect(names.first == "E10" && names.count == 30)
        #expect(statements.count == 0)
    }

    @Test
    func aPinnedContextNeverGetsANewerRow() async throws {
        let view = container.viewContext
        let id = try #require(try view.fetchIDs(request, fillingRowCache: true).first)
        try await container.newBackgroundContext().perform { context in
            let employee = try context.existingObject(with: id) as? Employee
            employee?.name = "New"
            try context.save()
            _ = try context.fetchIDs(FetchRequest("Employee"), fillingRowCache: true)
        }
        #expect((view.object(with: id) as? Employee)?.name == "E10")
        let newest = await container.performBackgroundTask { ($0.object(with: id) as? Employee)?.name }
        #expect(newest == "New")
        try await container.settled()
        #expect((view.object(with: id) as? Employee)?.name == "New")
    }

    @Test
    func prefetchingTakesOneQueryForEachPath() throws {
        let view = container.viewContext
        var prefetching = request
        prefetching.prefetchedKeyPaths = ["department", "projects"]
        statements.reset()
        let employees = try view.fetch(prefetching, as: Employee.self)
        #expect(statements.count <= 5)
        statements.reset()
        #expect(employees.allSatisfy { $0.department?.title == "Sales" })
        #expect(employees.allSatisfy { $0.projects.isEmpty })
        #expect(statements.count == 0)
    }

    @Test
    func batchesAreReadWhenTheyAreLookedAt() throws {
        let view = container.viewContext
        var batched = request
        batched.fetchBatchSize = 10
        let all = try view.fetchBatches(batched, as: Employee.self)
        #expect(all.count == 30)
        statements.reset()
        #expect(all[0].name == "E10" && all[9].name == "E19")
        #expect(statements.count == 1)
        #expect(all[29].name == "E39")
        #expect(statements.count == 2)
        #expect(all.map(\.name) == all.map(\.name).sorted())
    }

    @Test
    func aStreamIsOfOneGeneration() async throws {
        var portions = request
        portions.fetchBatchSize = 7
        var sizes: [Int] = []
        var names: [PropertyValue] = []
        for try await portion in container.stream(portions) {
            if sizes.isEmpty {
                try await container.performBackgroundTask { context in
                    for employee in try context.fetch(Employee.self) { context.delete(employee) }
                    try context.save()
                }
            }
            sizes.append(portion.count)
            names += portion.map { $0["name"] }
        }
        #expect(sizes == [7, 7, 7, 7, 2])
        #expect(names.first == .string("E10") && names.last == .string("E39"))
        var left = 0
        for try await portion in container.viewContext.stream(portions, as: Employee.self) { left += portion.count }
        #expect(left == 30)
    }

    @Test
    func aCancelledFetchSaysSo() async throws {
        let task = Task { [container, request] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await container.fetch(request)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await container.fetch(request).count == 30)
        #expect(try await container.count(for: request) == 30)
        #expect(try await container.viewContext.fetchAsynchronously(request, as: Employee.self).count == 30)
    }

    @Test
    func faultsAndPlainIDsAreMadeWhenAskedFor() throws {
        var faults = request
        faults.returnsObjectsAsFaults = true
        let view = container.viewContext
        let objects = try view.fetch(faults)
        #expect(objects.allSatisfy { $0.isFault })
        statements.reset()
        #expect(try objects.first?.value(forKey: "name") == .string("E10"))
        #expect(statements.count == 0)
    }
}
