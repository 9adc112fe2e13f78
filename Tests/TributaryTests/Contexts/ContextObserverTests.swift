import Synchronization
import TestSupport
import Testing
import Tributary

/// Several observers of one moment, and ending one of them.
struct ContextObserverTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws { (folder, container) = try await Company.open() }

    @Test func allObserversOfASaveAreCalledInTheirOrderUntilTheyAreCancelled() async throws {
        try await container.performBackgroundTask { context in
            var calls: [String] = []
            context.onWillSave = { _ in calls.append("will") }
            context.onDidSave = { _, _ in calls.append("did") }
            let first = context.observeWillSave { _ in calls.append("will 1") }
            context.observeWillSave { _ in calls.append("will 2") }
            let second = context.observeDidSave { _, changes in calls.append("did 1: \(changes.inserted.count)") }
            context.observeDidSave { context, _ in calls.append("did 2: \(context.hasChanges)") }
            try context.insert(Project.self)
            try context.save()
            #expect(calls == ["will", "will 1", "will 2", "did", "did 1: 1", "did 2: false"])
            calls = []
            first.cancel()
            context.removeObserver(second)
            first.cancel()
            #expect(!first.isActive && !second.isActive)
            context.onWillSave = nil
            try context.insert(Project.self)
            try context.save()
            #expect(calls == ["will 2", "did", "did 2: false"])
        }
    }

    @Test func anObserverIsCancelledFromOutsideItsContext() async throws {
        let background = container.newBackgroundContext()
        let (isGone, other) = (GoneFlag(), GoneFlag())
        let first = await background.perform { context in
            let held = Held(isGone)
            return context.observeDidSave { _, _ in Issue.record("it was cancelled: \(held)") }
        }
        let second = await background.perform { context in
            let held = Held(other)
            return context.observeDidSave { _, _ in Issue.record("it was removed: \(held)") }
        }
        first.cancel()
        await background.perform { $0.removeObserver(second) }
        #expect(isGone.isSet && other.isSet && !first.isActive && !second.isActive)
        try await background.save { _ = try $0.insert(Project.self) }
    }

    @Test func anObserverThatChangesObjectsBeforeASaveIsPartOfIt() async throws {
        try await container.performBackgroundTask { context in
            context.observeWillSave { context in
                for case let employee as Employee in context.insertedObjects { employee.name += "!" }
            }
            context.observeWillSave { context in
                for case let employee as Employee in context.insertedObjects { employee.name += "?" }
            }
            try context.hireAndSave("Ann")
            #expect(try context.fetch(Employee.self).map(\.name) == ["Ann!?"])
        }
    }

    @Test func anObserverThatIsCancelledByOneBeforeItIsNotCalled() async throws {
        try await container.performBackgroundTask { context in
            var calls: [Int] = []
            var second: ObserverToken?
            context.observeChanges { _ in
                calls.append(1)
                second?.cancel()
                context.observeChanges { _ in calls.append(3) }
            }
            second = context.observeChanges { _ in calls.append(2) }
            try context.insert(Project.self)
            context.processPendingChanges()
            #expect(calls == [1])
            try context.insert(Project.self)
            context.processPendingChanges()
            #expect(calls == [1, 1, 3])
        }
    }

    @Test func allObserversHearOfAnObjectThatCannotBeRead() async throws {
        let id = try await container.performBackgroundTask { context in
            let employee = try context.hireAndSave("Ann")
            context.delete(employee)
            try context.save()
            return employee.objectID
        }
        try await container.performBackgroundTask { context in
            let employee = context.object(with: id)
            var calls: [String] = []
            context.onInaccessibleFault = { _, _ in calls.append("property") }
            let other = context.observeInaccessibleFaults { _, _ in calls.append("cancelled") }
            context.observeInaccessibleFaults { object, error in
                calls.append("observer")
                #expect(object === employee && error == .notFound(id))
            }
            other.cancel()
            _ = try employee.value(forKey: "name")
            _ = try employee.value(forKey: "name")
            #expect(calls == ["property", "observer"])
        }
    }

    @MainActor @Test func observersOfAListAreNotifiedUntilTheyAreCancelled() async throws {
        let context = container.viewContext
        let controller = try FetchedResultsController<Project>(
            FetchRequest("Project", sortKeys: [SortKey("title")]),
            context: context
        )
        var calls: [String] = []
        controller.onChange = { calls.append("property \($0.insertions.count)") }
        let first = controller.observeDiffs { calls.append("first \($0.insertions.count)") }
        controller.observeDiffs { calls.append("second \($0.insertions.count)") }
        try context.insert(Project.self)
        context.processPendingChanges()
        #expect(calls == ["property 1", "first 1", "second 1"])
        first.cancel()
        try context.insert(Project.self)
        context.processPendingChanges()
        #expect(calls.suffix(2) == ["property 1", "second 1"] && calls.count == 5)
        controller.stop()
    }

    private final class Held: Sendable {
        let isGone: GoneFlag

        init(_ isGone: GoneFlag) { self.isGone = isGone }

        deinit { isGone.set() }
    }

    private final class GoneFlag: Sendable {
        private let flag = Atomic(false)

        var isSet: Bool { flag.load(ordering: .sequentiallyConsistent) }

        func set() { flag.store(true, ordering: .sequentiallyConsistent) }
    }

    @Test func aContextThatClosesEndsItsObservers() async throws {
        let isGone = GoneFlag()
        let background = container.newBackgroundContext()
        await background.perform { context in
            let held = Held(isGone)
            context.observeChanges { _ in _ = held }
            context.observeDidSave { _, _ in _ = held }
        }
        #expect(!isGone.isSet)
        try await container.close()
        #expect(isGone.isSet)
    }
}
