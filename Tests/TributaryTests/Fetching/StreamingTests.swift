import TestSupport
import Testing

@testable import Tributary

/// Results that arrive in portions: streams, batches, asynchronous fetches that can be cancelled.
@MainActor
struct StreamingTests {
    let folder: TemporaryFolder
    let container: PersistentContainer
    private var view: ManagedObjectContext { container.viewContext }
    let statements = StatementCounter()

    init() async throws {
        folder = try TemporaryFolder("streaming")
        container = try await Company.open(.file, in: folder, sqlLog: statements.log)
        try await container.save { context in
            let department = try context.insert(Department.self)
            for number in 0..<60 {
                try context.hire("E\(number + 10)").department = department
            }
        }
        await container.mergePendingChanges()
    }

    nonisolated private static func request(_ batchSize: Int = 0) -> FetchRequest<ManagedObject> {
        var request = FetchRequest("Employee", sortKeys: [SortKey("name")])
        request.fetchBatchSize = batchSize
        return request
    }

    /// Takes SQLite longer than anybody waits.
    nonisolated private static func endless() throws -> FetchRequest<ManagedObject> {
        let path = Array(repeating: "department.employees", count: 6).joined(separator: ".")
        return try FetchRequest("Employee", where: "ANY \(path).name == 'nobody'")
    }

    nonisolated private func fireEverybody(_ names: ClosedRange<String>) async throws {
        try await container.save { context in
            for employee in try context.fetch(Employee.self) where names.contains(employee.name) {
                context.delete(employee)
            }
        }
    }

    // MARK: Streams

    @Test func theViewContextsStreamIsOfTheGenerationThatItShowedFirst() async throws {
        var names: [String] = []
        var sizes: [Int] = []
        for try await portion in container.viewContext.stream(StreamingTests.request(25), as: Employee.self) {
            if sizes.isEmpty { try await fireEverybody("E10"..."E69") }
            sizes.append(portion.count)
            names += portion.map(\.name)
        }
        #expect(sizes == [25, 25, 10])
        #expect(names == (10..<70).map { "E\($0)" })
    }

    @Test func objectsThatAMergeRemovesMeanwhileAreLeftOut() async throws {
        var names: [String] = []
        for try await portion in container.viewContext.stream(StreamingTests.request(20), as: Employee.self) {
            if names.isEmpty {
                try await fireEverybody("E35"..."E44")
                try await container.save { context in
                    let last = try #require(try context.fetch(StreamingTests.request(), as: Employee.self).last)
                    last.salary = 5
                }
                await container.mergePendingChanges()
            }
            names += portion.map(\.name)
            if portion.last?.name == "E69" { #expect(portion.last?.salary == 5) }
        }
        #expect(names == ((10..<35).map { "E\($0)" } + (45..<70).map { "E\($0)" }))
    }

    @Test func aStreamOfSnapshotsIsForAnyTask() async throws {
        let names = try await Task.detached { [self] in
            var names: [PropertyValue] = []
            for try await portion in container.stream(StreamingTests.request(7)) {
                // The stream is of the generation that it began with.
                if names.isEmpty { try await fireEverybody("E10"..."E69") }
                names += portion.map { $0["name"] }
            }
            return names
        }.value
        #expect(names == (10..<70).map { .string("E\($0)") })
    }

    @Test func aStreamThatIsLeftEarlyGivesItsConnectionBack() async throws {
        for _ in 0..<12 {
            for try await portion in container.viewContext.stream(StreamingTests.request(5), as: Employee.self) {
                #expect(portion.count == 5)
                break
            }
        }
        #expect(try await container.count(for: StreamingTests.request()) == 60)
        try await container.close()
    }

    @Test func aStreamHonoursLimitAndOffset() async throws {
        var request = StreamingTests.request(4)
        request.fetchLimit = 10
        request.fetchOffset = 3
        var sizes: [Int] = []
        var first: PropertyValue?
        for try await portion in container.stream(request) {
            sizes.append(portion.count)
            first = first ?? portion.first?["name"]
        }
        #expect(sizes == [4, 4, 2])
        #expect(first == .string("E13"))
    }

    @Test func aStreamOfAnUnknownEntityFailsOnce() async throws {
        var iterator = container.stream(FetchRequest("Nobody")).makeAsyncIterator()
        await #expect(throws: ContextError.unknownEntity("Nobody")) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
    }

    @Test(.timeLimit(.minutes(30)))
    func aCancelledStreamEndsWithAnErrorAndTheContextStaysUsable() async throws {
        let container = container
        for _ in 0..<4 {
            let task = Task.detached { for try await _ in try container.stream(StreamingTests.endless()) {} }
            await Task.yield()
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        #expect(try container.viewContext.count(for: StreamingTests.request()) == 60)
    }

    // MARK: Batches

    @Test func batchesAreReadInSlicesAndOnlyWhenLookedAt() throws {
        statements.reset()
        let all = try view.fetchBatches(StreamingTests.request(20), as: Employee.self)
        #expect(all.count == 60 && all.batchSize == 20)
        #expect(statements.count == 1)
        #expect(view.registeredObjects.isEmpty)
        statements.reset()
        #expect(all[59].name == "E69")
        #expect(statements.count == 1)
        // The batch that was looked at last is all that it holds.
        #expect(view.registeredObjects.count == 20)
        #expect(all[0].name == "E10" && all[19].name == "E29")
        #expect(statements.count == 2)
        #expect(view.registeredObjects.count == 20)
        #expect(all.map(\.name) == (10..<70).map { "E\($0)" })
    }

    @Test func batchesOfAGenerationDoNotSeeWhatOthersWrite() async throws {
        let all = try view.fetchBatches(StreamingTests.request(20), as: Employee.self)
        #expect(all[0].name == "E10")
        try await fireEverybody("E30"..."E69")
        #expect(all[59].name == "E69")
        let background = container.newBackgroundContext()
        try await background.perform { context in
            try context.pin()
            let pinned = try context.fetchBatches(StreamingTests.request(5), as: Employee.self)
            #expect(pinned.count == 20)
            #expect(pinned.map(\.name).last == "E29")
        }
        await container.mergePendingChanges()
        #expect(all[0].name == "E10")
        #expect(all[59].state == .gone || all[59].isFault)
    }

    @Test func batchesShowUnsavedChanges() throws {
        let first = try #require(try view.fetch(StreamingTests.request(), as: Employee.self).first)
        first.name = "Z"
        let all = try view.fetchBatches(StreamingTests.request(7), as: Employee.self)
        #expect(all.last === first)
        #expect(all.first?.name == "E11")
        let child = view.newChild()
        #expect(try child.fetchBatches(StreamingTests.request(7), as: Employee.self).last?.name == "Z")
    }

    // MARK: Asynchronous fetches

    @Test func anAsynchronousFetchShowsWhatTheContextShows() async throws {
        let found = try await view.fetchAsynchronously(StreamingTests.request(), as: Employee.self)
        #expect(found.map(\.name) == (10..<70).map { "E\($0)" })
        found[0].name = "Z"
        let again = try await view.fetchAsynchronously(StreamingTests.request(), as: Employee.self)
        #expect(again.last === found[0])
        var faults = StreamingTests.request()
        faults.returnsObjectsAsFaults = true
        view.rollback()
        view.reset()
        let objects = try await view.fetchAsynchronously(faults)
        #expect(objects.allSatisfy { $0.isFault })
        statements.reset()
        #expect(objects.compactMap { ($0 as? Employee)?.name }.count == 60)
        #expect(statements.count == 0)
    }

    @Test(.timeLimit(.minutes(30)))
    func cancellingAnAsynchronousFetchInterruptsSQLiteAndTheContextStaysUsable() async throws {
        for _ in 0..<4 {
            let task = Task { try await view.fetchAsynchronously(StreamingTests.endless()).count }
            await Task.yield()
            #expect(try view.count(for: StreamingTests.request()) == 60)
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        let container = container
        let tasks = (0..<4).map { _ in Task.detached { try await container.count(for: StreamingTests.endless()) } }
        for task in tasks { task.cancel() }
        for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
        #expect(try await container.fetch(StreamingTests.request()).count == 60)
        #expect(try await view.fetchAsynchronously(StreamingTests.request()).count == 60)
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await container.fetch(StreamingTests.request())
        }
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        view.insertMark()
        try view.save()
        #expect(try view.count(for: StreamingTests.request()) == 61)
    }
}

extension ManagedObjectContext {
    fileprivate func insertMark() {
        (try? insert(Employee.self))?.name = "Mark"
    }
}
