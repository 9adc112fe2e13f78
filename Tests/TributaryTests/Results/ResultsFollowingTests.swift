import Observation
import Synchronization
import TestSupport
import Testing

@testable import Tributary

/// A results controller is notified of the changes that concern it, and notifies its observers.
@MainActor
struct ResultsFollowingTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws { (folder, container) = try await Company.open(.memory) }

    @Test func anObjectThatAMergeDeletedLeavesThoughItHasUnsavedChanges() async throws {
        let id = try await container.hire("Ann")
        await container.mergePendingChanges()
        let view = container.viewContext
        let controller = try FetchedResultsController<Employee>(FetchRequest("Employee"), context: view)
        let ann = try #require(controller.fetchedObjects.first)
        ann.salary = 5
        view.processPendingChanges()
        var deleted: [ManagedObjectID] = []
        controller.onChange = { deleted += $0.deletions.map(\.id) }
        try await container.delete(id)
        await container.mergePendingChanges()
        #expect(deleted == [id])
        #expect(controller.sections.isEmpty && ann.state == .gone)
    }

    @Test func aDeletionThatOthersWereFasterWithIsOverWithTheSave() async throws {
        let id = try await container.hire("Ann")
        await container.mergePendingChanges()
        let view = container.viewContext
        let controller = try FetchedResultsController<Employee>(FetchRequest("Employee"), context: view)
        try await container.delete(id)
        view.delete(view.object(with: id))
        #expect(try view.fetch(FetchRequest("Employee")).isEmpty)
        // There is nothing to write, and the generation of before still has the row.
        try view.save()
        #expect(try view.fetch(FetchRequest("Employee")).isEmpty)
        view.processPendingChanges()
        #expect(controller.sections.isEmpty)
        #expect(!view.hasChanges)
    }

    @Test func aDeletionThatIsTakenBackIsListedAgainWithRowsThatWereReadAhead() throws {
        let view = container.viewContext
        try view.hireAndSave("Ann")
        view.reset()
        _ = try view.fetchIDs(FetchRequest("Employee"), fillingRowCache: true)
        let controller = try FetchedResultsController<Employee>(FetchRequest("Employee"), context: view)
        for object in controller.fetchedObjects { view.delete(object) }
        view.processPendingChanges()
        #expect(controller.sections.isEmpty)
        view.rollback()
        #expect(controller.names == ["Ann"])
    }

    @Test func aMergeOfManyObjectsReadsThemAtOnce() async throws {
        let counter = StatementCounter()
        let container = try await Company.open(.memory, in: folder, sqlLog: counter.log)
        let controller = try FetchedResultsController<Employee>(
            FetchRequest("Employee", sortKeys: [SortKey("department.title"), SortKey("name")]),
            context: container.viewContext
        )
        try await container.save { context in
            for number in 0..<40 { try context.hire("E\(number)") }
        }
        counter.reset()
        await container.mergePendingChanges()
        #expect(controller.fetchedObjects.count == 40)
        #expect(counter.count < 12)
    }

    @Test func aChildsControllerSeesWhatItsParentDoes() throws {
        let view = container.viewContext
        let child = view.newChild()
        let controller = try child.employeeList()
        try view.hire("Ann")
        view.processPendingChanges()
        child.processPendingChanges()
        #expect(controller.names == ["Ann"])
        try child.hire("Bob")
        child.processPendingChanges()
        #expect(controller.names == ["Ann", "Bob"])
        try child.save()
        #expect(controller.names == ["Ann", "Bob"])
        view.rollback()
        child.processPendingChanges()
        #expect(controller.sections.isEmpty)
    }

    @Test func aResetMakesItAskAgain() async throws {
        try await container.hire("Ann")
        await container.mergePendingChanges()
        let view = container.viewContext
        let controller = try FetchedResultsController<Employee>(FetchRequest("Employee"), context: view)
        let before = try #require(controller.fetchedObjects.first)
        try await container.hire("Bob")
        view.reset()
        #expect(controller.fetchedObjects.count == 2)
        #expect(!controller.fetchedObjects.contains { $0 === before })
        #expect(controller.fetchedObjects.allSatisfy { $0.managedObjectContext === view })
    }

    @Test func undoIsAChangeLikeAnother() throws {
        let view = container.viewContext
        let controller = try FetchedResultsController<Employee>(FetchRequest("Employee"), context: view)
        try view.hire("Ann")
        view.processPendingChanges()
        #expect(controller.names == ["Ann"])
        view.undo()
        view.processPendingChanges()
        #expect(controller.sections.isEmpty)
        view.redo()
        view.processPendingChanges()
        #expect(controller.names == ["Ann"])
    }

    @Test func aStoppedControllerHearsNothing() throws {
        let view = container.viewContext
        let controller = try FetchedResultsController<Employee>(FetchRequest("Employee"), context: view)
        controller.stop()
        try view.hire("Ann")
        view.processPendingChanges()
        #expect(controller.sections.isEmpty)
        try controller.refetch()
        #expect(controller.names == ["Ann"])
    }

    @Test func aReleasedControllerLeavesNoObserver() throws {
        let view = container.viewContext
        var controller: FetchedResultsController<Employee>? = try FetchedResultsController(
            FetchRequest("Employee"),
            context: view
        )
        weak let watched = controller
        #expect(controller?.sections.isEmpty == true && !view.observation.changes.isEmpty)
        controller = nil
        #expect(watched == nil)
        try view.hire("Ann")
        view.processPendingChanges()
        #expect(view.observation.changes.isEmpty)
    }

    // MARK: Observing

    @Test func sectionsCanBeObserved() async throws {
        let view = container.viewContext
        let controller = try FetchedResultsController<Employee>(FetchRequest("Employee"), context: view)
        let told = Mutex(0)
        withObservationTracking {
            _ = controller.sections
        } onChange: {
            told.withLock { $0 += 1 }
        }
        try view.hire("Ann")
        view.processPendingChanges()
        #expect(told.withLock { $0 } == 1)
    }

    @Test func diffsComeAsAStream() async throws {
        let view = container.viewContext
        let controller = try FetchedResultsController<Employee>(FetchRequest("Employee"), context: view)
        var changes = controller.changes().makeAsyncIterator()
        let ann = try view.hire("Ann")
        view.processPendingChanges()
        #expect(await changes.next()?.insertions.map(\.id) == [ann.objectID])
        controller.stop()
        #expect(await changes.next() == nil)
    }
}
