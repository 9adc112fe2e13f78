import TestSupport
import Testing

@testable import Tributary

/// Streams of objects and lists end with their subject, and cost nothing unread.
@MainActor
struct StreamEndTests {
    let folder: TemporaryFolder
    let container: PersistentContainer
    private var view: ManagedObjectContext { container.viewContext }

    init() async throws { (folder, container) = try await Company.open() }

    @Test(.timeLimit(.minutes(30)))
    func theUpdatesOfAnObjectEndWhenTheContainerCloses() async throws {
        let ann = try container.viewContext.hire("Ann")
        let updates = ann.updates()
        try container.viewContext.save()
        try await container.close()
        var seen = 0
        for await _ in updates { seen += 1 }
        #expect(seen <= 1, "the newest state, and then the end")
    }

    @Test(.timeLimit(.minutes(30)))
    func aReaderThatIsLateGetsTheNewestStateOfAnObject() async throws {
        let ann = try view.insert(Employee.self)
        let updates = ann.updates()
        for name in ["Ann", "Anna"] {
            ann.name = name
            view.processPendingChanges()
        }
        for await case .changed(let state) in updates {
            #expect(state["name"] == .string("Anna"))
            break
        }
    }

    @Test(.timeLimit(.minutes(30))) func theDiffsOfAListEndWhenTheContainerCloses() async throws {
        let controller = try container.viewContext.employeeList(FetchRequest("Employee"))
        let diffs = controller.changes()
        try container.viewContext.insert(Employee.self).name = "Ann"
        container.viewContext.processPendingChanges()
        try container.viewContext.save()
        try await container.close()
        var insertions = 0
        for await diff in diffs { insertions += diff.insertions.count }
        #expect(insertions == 1 && controller.fetchedObjects.count == 1)
    }

    @Test func aReaderThatHasLeftIsForgottenWithTheNextChangeOfWhateverObject() async throws {
        let (ann, bob) = (try view.insert(Employee.self), try view.insert(Employee.self))
        for employee in [ann, bob] { employee.name = "A" }
        try view.save()
        for _ in 0..<5 {
            let reading = Task { for await _ in ann.updates() {} }
            await Task.yield()
            reading.cancel()
            await reading.value
        }
        bob.salary = 1
        view.processPendingChanges()
        #expect(view.observation.changes.isEmpty)
    }

    @Test func aListThatCouldNotAskAsksWithTheNextChange() async throws {
        let elsewhere = try TemporaryFolder("streams-other")
        let other = try await Company.open(elsewhere)
        let dead = try await other.performBackgroundTask { context in
            try context.pin()
            return context.generation
        }
        try await other.close()
        try await container.performBackgroundTask { context in
            let controller = try FetchedResultsController<Employee>(FetchRequest("Employee"), context: context)
            var failures = 0
            controller.onError = { _ in failures += 1 }
            // Reads fail for a while.
            context.generation = dead
            try context.hire("Ann")
            context.mergeChanges(ObjectChanges())
            context.recordChange { $0.isEverything = true }
            context.processPendingChanges()
            #expect(failures == 1)
            context.generation = nil
            _ = try context.insert(Department.self)
            context.processPendingChanges()
            #expect(failures == 1 && controller.fetchedObjects.map(\.name) == ["Ann"])
        }
    }

    @Test func aDiffThatTheHandlerBringsComesSecond() async throws {
        let controller = try view.employeeList()
        let diffs = controller.changes()
        var isFirst = true
        controller.onChange = { _ in
            guard isFirst else { return }
            isFirst = false
            controller.fetchedObjects.first.map { view.delete($0) }
            #expect(throws: Never.self) { try controller.refetch() }
        }
        try view.hire("Ann")
        view.processPendingChanges()
        controller.stop()
        var story: [String] = []
        for await diff in diffs { story.append("+\(diff.insertions.count) -\(diff.deletions.count)") }
        #expect(story == ["+1 -0", "+0 -1"])
    }
}
