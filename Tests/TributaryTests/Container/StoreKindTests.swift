import Synchronization
import TestSupport
import Testing
import Tributary

/// A store in memory behaves as one in a file.
@MainActor
struct StoreKindTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder("kinds")
    }

    @Test(arguments: Company.StoreKind.allCases)
    func aBackgroundSaveShowsWhenItIsMerged(_ kind: Company.StoreKind) async throws {
        let container = try await Company.open(kind, in: folder)
        let view = container.viewContext
        let id = try await container.hire("Ann")
        #expect(try view.count(for: FetchRequest("Employee")) == 0)
        #expect(throws: ContextError.self) { try view.existingObject(with: id) }
        try await container.settled()
        #expect(try view.count(for: FetchRequest("Employee")) == 1)
        let ann = try view.existingObject(with: id, as: Employee.self)
        ann.name = "Bea"
        try view.save()
        let names = try await container.performBackgroundTask { try $0.fetch(Employee.self).map(\.name) }
        #expect(names == ["Bea"])
        try await container.close()
    }

    @Test(arguments: Company.StoreKind.allCases)
    func theMainContextShowsOneGenerationWhileOthersWrite(_ kind: Company.StoreKind) async throws {
        let container = try await Company.open(kind, in: folder)
        let view = container.viewContext
        let id = try await container.hire("Ann")
        try await container.settled()
        try await container.change(id) { $0.name = "Bea" }
        #expect(try view.fetch(Employee.self).map(\.name) == ["Ann"])
        try await container.settled()
        #expect(try view.fetch(Employee.self).map(\.name) == ["Bea"])
        try await container.close()
    }

    @Test(arguments: Company.StoreKind.allCases)
    func aConflictIsFound(_ kind: Company.StoreKind) async throws {
        let container = try await Company.open(kind, in: folder)
        let id = try await container.hire("Ann")
        let first = container.newBackgroundContext()
        try await first.perform { context in
            let ann = try context.existingObject(with: id) as? Employee
            ann?.name = "Bea"
        }
        try await container.change(id) { $0.salary = 5 }
        await #expect(throws: ConflictError.self) { try await first.perform { try $0.save() } }
        try await container.close()
    }

    @Test func twoStoresInMemoryAreTwo() async throws {
        let one = try await Company.open(.memory, in: folder)
        let two = try await Company.open(.memory, in: folder)
        try await one.hire("Ann")
        try await one.settled()
        try await two.settled()
        #expect(try one.viewContext.count(for: FetchRequest("Employee")) == 1)
        #expect(try two.viewContext.count(for: FetchRequest("Employee")) == 0)
        try await one.close()
        try await two.close()
    }

    @Test(arguments: Company.StoreKind.allCases)
    func settledWaitsForEverythingThatWasAccepted(_ kind: Company.StoreKind) async throws {
        let container = try await Company.open(kind, in: folder)
        let background = container.newBackgroundContext()
        for number in 0..<20 {
            background.enqueue { _ = try? $0.hireAndSave("E\(number)") }
        }
        try await container.settled()
        #expect(container.pendingSaves == 0)
        #expect(try container.viewContext.count(for: FetchRequest("Employee")) == 20)
        try await container.settled()
    }

    @Test(arguments: Company.StoreKind.allCases)
    func statementsAreLoggedWithTimeAndRows(_ kind: Company.StoreKind) async throws {
        let heard = Mutex<[SQLLog.Entry]>([])
        let container = try await Company.open(
            kind,
            in: folder,
            sqlLog: SQLLog { entry in heard.withLock { $0.append(entry) } }
        )
        try await container.hire("Ann")
        try await container.hire("Bob")
        try await container.settled()
        heard.withLock { $0 = [] }
        let request = try FetchRequest("Employee", where: "name != %@", ["Secret"])
        #expect(try container.viewContext.fetch(request).count == 2)
        let entries = heard.withLock { $0 }.filter { $0.text.contains("SELECT") && $0.text.contains("Employee") }
        #expect(entries.count == 1)
        let entry = try #require(entries.first)
        #expect(entry.rows == 2)
        #expect(entry.duration > .zero && entry.duration < .seconds(60))
        #expect(!entry.text.contains("Secret"))
        try await container.close()
    }

    @Test func valuesAreShownWhenAskedFor() async throws {
        let heard = Mutex<[String]>([])
        let log = SQLLog(includesValues: true) { entry in heard.withLock { $0.append(entry.text) } }
        let container = try await Company.open(.memory, in: folder, sqlLog: log)
        let request = try FetchRequest("Employee", where: "name != %@", ["Secret"])
        #expect(try container.viewContext.fetch(request).isEmpty)
        #expect(heard.withLock { $0.contains { $0.contains("'Secret'") } })
        try await container.close()
    }

    @Test func activitiesAreObservable() async throws {
        let container = try await Company.open(.memory, in: folder)
        let monitor = container.activityMonitor()
        #expect(!monitor.isActive)
        await container.activity("Loading") {
            let second = container.activityMonitor()
            #expect(second.running.map(\.title) == ["Loading"])
        }
        let third = container.activityMonitor()
        #expect(!third.isActive)
        try await container.close()
    }
}
