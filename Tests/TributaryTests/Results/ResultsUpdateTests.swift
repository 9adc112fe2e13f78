import Observation
import Synchronization
import TestSupport
import Testing

@testable import Tributary

/// A results controller is notified of the changes that concern it, which cost little, and notifies only the observers
/// that they concern.
@MainActor
struct ResultsUpdateTests {
    let folder: TemporaryFolder
    let container: PersistentContainer
    private var view: ManagedObjectContext { container.viewContext }

    init() async throws { (folder, container) = try await Company.open(.memory) }

    private func hire(_ count: Int) throws -> [Employee] {
        let employees = try (0..<count).map { number in
            let employee = try view.hire("E\(1_000_000 + number)")
            employee.age = Int16(number % 7)
            return employee
        }
        try view.save()
        return employees
    }

    /// The steps of some changes of values, moves included, under a controller of so many results.
    private func steps(_ employees: ArraySlice<Employee>, sectionKeyPath: String?) throws -> Int {
        let last = try #require(employees.last).name
        let controller = try FetchedResultsController<Employee>(
            FetchRequest("Employee", where: "name <= %@", [.string(last)], sortKeys: [SortKey("name")]),
            context: view,
            sectionKeyPath: sectionKeyPath
        )
        #expect(controller.count == employees.count)
        let before = controller.stepCount
        for number in 0..<20 {
            let employee = employees[employees.startIndex + number * 11 % employees.count]
            employee.salary = Double(number)
            view.processPendingChanges()
            employee.name = "E\(1_000_000 + number * 13 % employees.count)b"
            employee.age = Int16(number % 5)
            view.processPendingChanges()
        }
        let steps = controller.stepCount - before
        controller.stop()
        view.rollback()
        return steps
    }

    @Test(arguments: [nil, "age", "name"])
    func aChangedValueCostsStepsByTheLogarithmOfTheResults(sectionKeyPath: String?) throws {
        let employees = try hire(1_600)
        let few = try steps(employees[..<100], sectionKeyPath: sectionKeyPath)
        let many = try steps(employees[...], sectionKeyPath: sectionKeyPath)
        // 16 times the results add four levels to about seven.
        #expect(few > 0 && many < few * 4)
    }

    @Test func aSwapOfChangedObjectsIsOneMove() throws {
        let employees = try hire(4)
        let controller = try container.viewContext.employeeList()
        var diffs: [FetchedResultsDiff] = []
        controller.onChange = { diffs.append($0) }
        (employees[1].name, employees[2].name) = (employees[2].name, employees[1].name)
        container.viewContext.processPendingChanges()
        #expect(diffs.map(\.moves.count) == [1])
        #expect(diffs.map(\.updates.count) == [1])
    }

    @Test func aSectionThatIsEmptiedAndFilledAtOnceStays() throws {
        let employees = try hire(3)
        let controller = try container.viewContext.employeeList(sections: "age")
        let before = controller.sections
        var diffs: [FetchedResultsDiff] = []
        controller.onChange = { diffs.append($0) }
        (employees[0].age, employees[1].age) = (employees[1].age, employees[0].age)
        container.viewContext.processPendingChanges()
        #expect(diffs.count == 1)
        #expect(diffs.first?.deletedSections.isEmpty == true && diffs.first?.insertedSections.isEmpty == true)
        #expect(diffs.first?.moves.count == 2)
        #expect(diffs.first?.applied(to: before) == controller.sections)
        #expect(controller.sections.map(\.value) == before.map(\.value))
    }

    // MARK: Observing

    private func notifications(of read: () -> Void, during change: () throws -> Void) rethrows -> Int {
        let count = Mutex(0)
        withObservationTracking(read) { count.withLock { $0 += 1 } }
        try change()
        return count.withLock { $0 }
    }

    @Test func observersAreNotifiedOfAValueThatChangesInItsPlace() async throws {
        let employees = try hire(3)
        let controller = try view.employeeList()
        var changes = controller.changes().makeAsyncIterator()
        let readers: [() -> Void] = [
            { _ = controller.sections }, { _ = controller.fetchedObjects }, { _ = controller.count },
            { _ = controller.object(at: FetchedPosition(section: 0, item: 1))?.salary },
            { _ = controller.position(of: employees[1]) },
        ]
        for (index, read) in readers.enumerated() {
            let before = controller.sections
            let told = notifications(of: read) {
                employees[1].salary = Double(index + 1)
                view.processPendingChanges()
            }
            #expect(told == 1)
            #expect(controller.sections == before)
            let diff = await changes.next()
            #expect(diff?.updates.map(\.id) == [employees[1].objectID] && diff?.changesOrder == false)
        }
        // A change of an object outside the results notifies no observer.
        let told = try notifications(of: { _ = controller.sections }) {
            try view.insert(Department.self).title = "Sales"
            view.processPendingChanges()
        }
        #expect(told == 0)
    }

    @Test func observersAreNotifiedOfAValueThatAMergeChanges() async throws {
        let employees = try hire(3)
        let id = employees[1].objectID
        let controller = try container.viewContext.employeeList()
        var limited = FetchRequest("Employee", sortKeys: [SortKey("name")])
        limited.fetchLimit = 3
        let asking = try FetchedResultsController<Employee>(limited, context: container.viewContext)
        let count = Mutex(0)
        for list in [controller, asking] {
            withObservationTracking {
                _ = list.sections
            } onChange: {
                count.withLock { $0 += 1 }
            }
        }
        var updates: [[ManagedObjectID]] = []
        controller.onChange = { updates.append($0.updates.map(\.id)) }
        asking.onChange = { updates.append($0.updates.map(\.id)) }
        try await container.change(id) { $0.salary = 9 }
        await container.mergePendingChanges()
        #expect(count.withLock { $0 } == 2)
        #expect(updates == [[id], [id]])
    }

    @Test func requestsWithoutPendingChangesListThemAllTheSame() throws {
        var request = FetchRequest("Employee")
        request.includesPendingChanges = false
        let controller = try FetchedResultsController<Employee>(request, context: container.viewContext)
        try container.viewContext.insert(Employee.self).name = "Ann"
        container.viewContext.processPendingChanges()
        #expect(controller.names == ["Ann"])
        try controller.refetch()
        #expect(controller.names == ["Ann"])
    }

    // MARK: Many results

    @Test func manyChangesAtOnceGiveWhatAFetchGives() throws {
        var random = SeededGenerator.printingSeed()
        _ = try hire(150)
        let requests: [(FetchRequest<ManagedObject>, String?)] = [
            (FetchRequest("Employee", sortKeys: [SortKey("age", ascending: false), SortKey("name")]), nil),
            (FetchRequest("Employee", sortKeys: [SortKey("name", comparison: .localizedStandard)]), "age"),
            (
                try FetchRequest("Employee", where: "salary > 2", sortKeys: [SortKey("salary", ascending: false)]),
                "name"
            ),
        ]
        let controllers = try requests.map { request, path in
            try FetchedResultsController<Employee>(request, context: view, sectionKeyPath: path)
        }
        var mirrors = controllers.map(\.sections)
        for (index, controller) in controllers.enumerated() {
            controller.onChange = { mirrors[index] = $0.applied(to: mirrors[index]) }
        }
        for _ in LongProofs.rounds(12) {
            for _ in 0..<Int.random(in: 1...30, using: &random) {
                let employee = try #require(controllers[0].fetchedObjects.randomElement(using: &random))
                switch Int.random(in: 0..<8, using: &random) {
                case 0: view.delete(employee)
                case 1: try view.hire("E\(Int.random(in: 0..<40, using: &random))")
                case 2, 3: employee.name = "e\(Int.random(in: 0..<40, using: &random))"
                case 4, 5: employee.age = Int16.random(in: 0..<4, using: &random)
                default: employee.salary = Double(Int.random(in: 0..<6, using: &random))
                }
            }
            if Int.random(in: 0..<6, using: &random) == 0 { view.rollback() }
            view.processPendingChanges()
            for (index, controller) in controllers.enumerated() {
                let fresh = try FetchedResultsController<Employee>(
                    controller.request,
                    context: view,
                    sectionKeyPath: controller.sectionKeyPath
                )
                #expect(controller.sections == fresh.sections)
                #expect(mirrors[index] == fresh.sections)
                fresh.stop()
            }
        }
    }

    // MARK: Which changes it is notified of

    @Test func anObjectThatAMergeDeletedLeavesThoughItHasUnsavedChanges() async throws {
        let id = try await container.hire("Ann")
        await container.mergePendingChanges()
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
        let controller = try FetchedResultsController<Employee>(FetchRequest("Employee"), context: view)
        let before = try #require(controller.fetchedObjects.first)
        try await container.hire("Bob")
        view.reset()
        #expect(controller.fetchedObjects.count == 2)
        #expect(!controller.fetchedObjects.contains { $0 === before })
        #expect(controller.fetchedObjects.allSatisfy { $0.managedObjectContext === view })
    }

    @Test func undoIsAChangeLikeAnother() throws {
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
        let controller = try FetchedResultsController<Employee>(FetchRequest("Employee"), context: view)
        controller.stop()
        try view.hire("Ann")
        view.processPendingChanges()
        #expect(controller.sections.isEmpty)
        try controller.refetch()
        #expect(controller.names == ["Ann"])
    }

    @Test func aReleasedControllerLeavesNoObserver() throws {
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

    @Test func sectionsCanBeObserved() async throws {
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
        let controller = try FetchedResultsController<Employee>(FetchRequest("Employee"), context: view)
        var changes = controller.changes().makeAsyncIterator()
        let ann = try view.hire("Ann")
        view.processPendingChanges()
        #expect(await changes.next()?.insertions.map(\.id) == [ann.objectID])
        controller.stop()
        #expect(await changes.next() == nil)
    }
}
