import TestSupport
import Testing

@testable import Tributary

/// A list that follows its context: unsaved changes, merges, sections.
@MainActor
struct ResultsControllerTests {
    let folder: TemporaryFolder
    let container: PersistentContainer
    private var view: ManagedObjectContext { container.viewContext }

    init() async throws { (folder, container) = try await Company.open(.memory) }

    @Test func aRequestOfAnEntityGivesObjectsOfAClass() throws {
        try view.hire("Ann")
        let controller = try FetchedResultsController(FetchRequest("Employee"), as: Employee.self, context: view)
        #expect(controller.fetchedObjects.map(\.name) == ["Ann"])
    }

    @Test func unsavedChangesShowAtOnce() throws {
        let controller = try view.employeeList()
        var diffs: [FetchedResultsDiff] = []
        controller.onChange = { diffs.append($0) }
        let bob = try view.hire("Bob")
        view.processPendingChanges()
        #expect(controller.names == ["Bob"])
        #expect(diffs.last?.insertions.map(\.id) == [bob.objectID])
        #expect(diffs.last?.insertedSections.count == 1)
        let ann = try view.hire("Ann")
        view.processPendingChanges()
        #expect(controller.names == ["Ann", "Bob"])
        ann.name = "Zoe"
        view.processPendingChanges()
        #expect(controller.names == ["Bob", "Zoe"])
        #expect(diffs.last?.moves.count == 1)
        bob.salary = 3
        view.processPendingChanges()
        #expect(diffs.last?.updates.map(\.id) == [bob.objectID])
        #expect(diffs.last?.updates.first?.position == controller.position(of: bob))
        view.delete(ann)
        view.processPendingChanges()
        #expect(controller.names == ["Bob"])
        #expect(diffs.last?.deletions.map(\.id) == [ann.objectID])
        view.rollback()
        #expect(controller.sections.isEmpty)
    }

    @Test func aMergeBringsObjectsThatTheContextNeverHad() async throws {
        let early = try await container.hire("Early", salary: 1)
        try await container.settled()
        let request = try FetchRequest("Employee", where: "salary > %d", [10], sortKeys: [SortKey("name")])
        let controller = try FetchedResultsController<Employee>(request, context: container.viewContext)
        #expect(controller.sections.isEmpty)
        let late = try await container.hire("Late", salary: 20)
        try await container.settled()
        #expect(controller.names == ["Late"])
        // An unregistered object begins to fulfil the predicate.
        try await container.change(early) { $0.salary = 30 }
        try await container.settled()
        #expect(controller.names == ["Early", "Late"])
        try await container.delete(late)
        try await container.settled()
        #expect(controller.names == ["Early"])
    }

    @Test func everythingMakesItAskAgain() async throws {
        let controller = try container.viewContext.employeeList()
        var options = MergeOptions.onRequest
        options.pendingLimit = 1
        container.setMergeOptions(options)
        for name in ["Cid", "Ann", "Bob"] { try await container.hire(name) }
        try await container.settled()
        #expect(controller.names == ["Ann", "Bob", "Cid"])
    }

    @Test func sectionsFollowAPathThroughARelationship() throws {
        let (sales, research) = (try view.insert(Department.self), try view.insert(Department.self))
        sales.title = "Sales"
        research.title = "Research"
        let controller = try view.employeeList(sections: "department.title")
        for (name, department) in [("Ann", sales), ("Bob", research), ("Cid", sales)] {
            try view.hire(name).department = department
        }
        view.processPendingChanges()
        #expect(controller.sections.map(\.value) == [.string("Research"), .string("Sales")])
        #expect(controller.sections.map(\.objectIDs.count) == [1, 2])
        #expect(controller.object(at: FetchedPosition(section: 1, item: 1))?.name == "Cid")
        research.title = "Zoology"
        view.processPendingChanges()
        #expect(controller.sections.map(\.value) == [.string("Sales"), .string("Zoology")])
    }

    @Test func anObjectTellsOfItsChanges() async throws {
        let ann = try view.hire("Ann")
        view.processPendingChanges()
        var updates = ann.updates().makeAsyncIterator()
        ann.name = "Bea"
        view.processPendingChanges()
        guard case .changed(let snapshot)? = await updates.next() else { throw Unexpected("no change") }
        #expect(snapshot["name"] == .string("Bea"))
        view.delete(ann)
        view.processPendingChanges()
        #expect(await updates.next() == .deleted(ann.objectID))
    }

    // MARK: Diffs

    private struct Fixture {
        let view: ManagedObjectContext
        let controller: FetchedResultsController<Employee>
        let employees: [Employee]
    }

    /// Employees of the ages given in sections by age, in the order of their names.
    private func sectioned(_ ages: [Int16]) throws -> Fixture {
        let employees = try ages.enumerated().map { index, age in
            let employee = try view.hire("E\(index)")
            employee.age = age
            return employee
        }
        try view.save()
        let controller = try view.employeeList(sections: "age")
        return Fixture(view: view, controller: controller, employees: employees)
    }

    @Test func aMoveToANewSectionTellsOfTheSectionToo() throws {
        let fixture = try sectioned([1, 1, 2])
        var diffs: [FetchedResultsDiff] = []
        fixture.controller.onChange = { diffs.append($0) }
        fixture.employees[2].age = 3
        fixture.view.processPendingChanges()
        let diff = try #require(diffs.first)
        #expect(diffs.count == 1)
        #expect(diff.deletedSections == [FetchedResultsDiff.Section(value: .integer(2), index: 1)])
        #expect(diff.insertedSections == [FetchedResultsDiff.Section(value: .integer(3), index: 1)])
        #expect(diff.moves.map(\.id) == [fixture.employees[2].objectID])
        #expect(diff.moves.first?.from == FetchedPosition(section: 1, item: 0))
        #expect(diff.moves.first?.to == FetchedPosition(section: 1, item: 0))
        #expect(diff.insertions.isEmpty && diff.deletions.isEmpty && diff.updates.isEmpty)
    }

    @Test func aMoveInASectionIsOneMove() throws {
        let fixture = try sectioned([1, 1, 1, 1])
        var diffs: [FetchedResultsDiff] = []
        fixture.controller.onChange = { diffs.append($0) }
        fixture.employees[0].name = "Z"
        fixture.view.processPendingChanges()
        #expect(diffs.map(\.moves.count) == [1])
        #expect(diffs.first?.moves.first?.from == FetchedPosition(section: 0, item: 0))
        #expect(diffs.first?.moves.first?.to == FetchedPosition(section: 0, item: 3))
        #expect(fixture.controller.names == ["E1", "E2", "E3", "Z"])
    }

    @Test func anUpdateThatStaysInItsPlaceIsAnUpdate() throws {
        let fixture = try sectioned([1, 2])
        var diffs: [FetchedResultsDiff] = []
        fixture.controller.onChange = { diffs.append($0) }
        fixture.employees[1].salary = 7
        fixture.view.processPendingChanges()
        #expect(diffs.first?.updates.map(\.position) == [FetchedPosition(section: 1, item: 0)])
        #expect(diffs.first?.moves.isEmpty == true)
        // A change of an object outside the results is no change of the list.
        try fixture.view.insert(Department.self).title = "Sales"
        fixture.view.processPendingChanges()
        #expect(diffs.count == 1)
    }

    @Test func equalKeysAreInTheOrderOfTheIDs() throws {
        let controller = try FetchedResultsController<Employee>(
            FetchRequest("Employee", sortKeys: [SortKey("age"), SortKey("salary", ascending: false)]),
            context: view
        )
        for _ in 0..<20 { try view.hire("Same") }
        view.processPendingChanges()
        let ids = controller.sections.flatMap(\.objectIDs)
        #expect(ids.count == 20)
        #expect(ids.map(\.uniqueID) == ids.map(\.uniqueID).sorted())
        try view.save()
        #expect(controller.sections.flatMap(\.objectIDs) == ids)
        #expect(try view.fetchIDs(controller.request) == ids)
    }

    @Test func aSectionPathMayDescend() throws {
        for (name, age) in [("Ann", 1), ("Bob", 2), ("Cid", 2)] {
            try view.hire(name).age = Int16(age)
        }
        let request = FetchRequest("Employee", sortKeys: [SortKey("age", ascending: false), SortKey("name")])
        let controller = try FetchedResultsController<Employee>(request, context: view, sectionKeyPath: "age")
        #expect(controller.sections.map(\.value) == [.integer(2), .integer(1)])
        #expect(controller.names == ["Bob", "Cid", "Ann"])
        #expect(throws: ObjectPredicateError.self) {
            try FetchedResultsController<Employee>(request, context: view, sectionKeyPath: "nothing")
        }
    }

    @Test func sectionsOfStringsThatLookAlikeAreTwo() throws {
        let controller = try view.employeeList(FetchRequest("Employee"), sections: "name")
        for name in ["\u{E9}", "e\u{301}", "\u{E9}"] { try view.hire(name) }
        view.processPendingChanges()
        #expect(controller.sections.map(\.objectIDs.count) == [1, 2])
        let fresh = try view.employeeList(FetchRequest("Employee"), sections: "name")
        #expect(controller.sections == fresh.sections)
    }
}

extension FetchedResultsController where Object == Employee {
    var names: [String] { fetchedObjects.map(\.name) }
}

extension ManagedObjectContext {
    /// A list of employees, by their names unless a request says otherwise, that follows this context.
    func employeeList(
        _ request: FetchRequest<ManagedObject> = FetchRequest("Employee", sortKeys: [SortKey("name")]),
        sections: String? = nil
    ) throws -> FetchedResultsController<Employee> {
        try FetchedResultsController(request, context: self, sectionKeyPath: sections)
    }
}
