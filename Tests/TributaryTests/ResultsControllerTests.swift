import TestSupport
import Testing

@testable import Tributary

/// A list that follows its context: unsaved changes, merges, sections.
@MainActor
struct ResultsControllerTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws {
        folder = try TemporaryFolder("results")
        container = try await Company.open(.memory, in: folder)
    }

    private func names(_ controller: FetchedResultsController<Employee>) -> [String] {
        controller.fetchedObjects.map(\.name)
    }

    private func hire(_ name: String, salary: Double = 0) async throws -> ManagedObjectID {
        try await container.performBackgroundTask { context in
            let employee = try context.insert(Employee.self)
            employee.name = name
            employee.salary = salary
            try context.save()
            return employee.objectID
        }
    }

    @Test
    func unsavedChangesShowAtOnce() throws {
        let view = container.viewContext
        let controller = try FetchedResultsController<Employee>(
            FetchRequest("Employee", sortKeys: [SortKey("name")]),
            context: view
        )
        var diffs: [FetchedResultsDiff] = []
        controller.onChange = { diffs.append($0) }
        let bob = try view.insert(Employee.self)
        bob.name = "Bob"
        view.processPendingChanges()
        #expect(names(controller) == ["Bob"])
        #expect(diffs.last?.insertions.map(\.id) == [bob.objectID])
        #expect(diffs.last?.insertedSections.count == 1)
        let ann = try view.insert(Employee.self)
        ann.name = "Ann"
        view.processPendingChanges()
        #expect(names(controller) == ["Ann", "Bob"])
        ann.name = "Zoe"
        view.processPendingChanges()
        #expect(names(controller) == ["Bob", "Zoe"])
        #expect(diffs.last?.moves.count == 1)
        bob.salary = 3
        view.processPendingChanges()
        #expect(diffs.last?.updates.map(\.id) == [bob.objectID])
        #expect(diffs.last?.updates.first?.position == controller.position(of: bob))
        view.delete(ann)
        view.processPendingChanges()
        #expect(names(controller) == ["Bob"])
        #expect(diffs.last?.deletions.map(\.id) == [ann.objectID])
        view.rollback()
        #expect(controller.sections.isEmpty)
    }

    @Test
    func aMergeBringsObjectsThatTheContextNeverHad() async throws {
        let early = try await hire("Early", salary: 1)
        try await container.settled()
        let request = try FetchRequest("Employee", where: "salary > %d", [10], sortKeys: [SortKey("name")])
        let controller = try FetchedResultsController<Employee>(request, context: container.viewContext)
        #expect(controller.sections.isEmpty)
        let late = try await hire("Late", salary: 20)
        try await container.settled()
        #expect(names(controller) == ["Late"])
        // An object that nobody has in use begins to fulfil the predicate.
        try await container.performBackgroundTask { context in
            let employee = try context.existingObject(with: early) as? Employee
            employee?.salary = 30
            try context.save()
        }
        try await container.settled()
        #expect(names(controller) == ["Early", "Late"])
        try await container.performBackgroundTask { context in
            context.delete(try context.existingObject(with: late))
            try context.save()
        }
        try await container.settled()
        #expect(names(controller) == ["Early"])
    }

    @Test
    func everythingMakesItAskAgain() async throws {
        let controller = try FetchedResultsController<Employee>(
            FetchRequest("Employee", sortKeys: [SortKey("name")]),
            context: container.viewContext
        )
        var options = MergeOptions()
        options.debounce = .seconds(3600)
        options.ceiling = .seconds(3600)
        options.mailboxLimit = 1
        container.setMergeOptions(options)
        for name in ["Cid", "Ann", "Bob"] { _ = try await hire(name) }
        try await container.settled()
        #expect(names(controller) == ["Ann", "Bob", "Cid"])
    }

    @Test
    func sectionsFollowAPathThroughARelationship() throws {
        let view = container.viewContext
        let (sales, research) = (try view.insert(Department.self), try view.insert(Department.self))
        sales.title = "Sales"
        research.title = "Research"
        let controller = try FetchedResultsController<Employee>(
            FetchRequest("Employee", sortKeys: [SortKey("name")]),
            context: view,
            sectionKeyPath: "department.title"
        )
        for (name, department) in [("Ann", sales), ("Bob", research), ("Cid", sales)] {
            let employee = try view.insert(Employee.self)
            employee.name = name
            employee.department = department
        }
        view.processPendingChanges()
        #expect(controller.sections.map(\.value) == [.string("Research"), .string("Sales")])
        #expect(controller.sections.map(\.objectIDs.count) == [1, 2])
        #expect(controller.object(at: FetchedPosition(section: 1, item: 1))?.name == "Cid")
        research.title = "Zoology"
        view.processPendingChanges()
        #expect(controller.sections.map(\.value) == [.string("Sales"), .string("Zoology")])
    }

    @Test(arguments: 0..<8)
    func applyingEachDiffToTheOldSectionsGivesTheNewOnes(_ round: UInt64) throws {
        let base = SeededGenerator.fromEnvironment().seed
        var generator = SeededGenerator(seed: base &+ round)
        print("seed \(base)")
        let view = container.viewContext
        let request = try FetchRequest("Employee", where: "salary != %d", [3], sortKeys: [SortKey("name")])
        let controller = try FetchedResultsController<Employee>(request, context: view, sectionKeyPath: "age")
        var mirror = controller.sections
        var emitted = 0
        controller.onChange = {
            mirror = $0.applied(to: mirror)
            emitted += 1
        }
        var objects: [Employee] = []
        for _ in 0..<40 {
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let kind = Int.random(in: 0..<6, using: &generator)
                if kind == 0 || objects.isEmpty {
                    let new = try view.insert(Employee.self)
                    new.name = "n"
                    objects.append(new)
                }
                let index = Int.random(in: objects.indices, using: &generator)
                if kind == 1 {
                    view.delete(objects.remove(at: index))
                    continue
                }
                objects[index].name = ["a", "b", "c", "d"].randomElement(using: &generator) ?? ""
                objects[index].age = Int16.random(in: 0..<4, using: &generator)
                objects[index].salary = Double(Int.random(in: 0..<5, using: &generator))
            }
            if Int.random(in: 0..<4, using: &generator) == 0 { try view.save() } else { view.processPendingChanges() }
            #expect(mirror == controller.sections)
            var fresh = request
            fresh.sortKeys.insert(SortKey("age"), at: 0)
            #expect(controller.sections.flatMap(\.objectIDs) == (try view.fetchIDs(fresh)))
        }
        #expect(emitted > 10)
    }

    @Test
    func anObjectTellsOfItsChanges() async throws {
        let view = container.viewContext
        let ann = try view.insert(Employee.self)
        ann.name = "Ann"
        view.processPendingChanges()
        var updates = ann.updates().makeAsyncIterator()
        ann.name = "Bea"
        view.processPendingChanges()
        guard case .changed(let snapshot)? = await updates.next() else {
            Issue.record("no change")
            return
        }
        #expect(snapshot["name"] == .string("Bea"))
        view.delete(ann)
        view.processPendingChanges()
        #expect(await updates.next() == .deleted(ann.objectID))
    }
}
