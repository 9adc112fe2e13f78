import TestSupport
import Testing
import Tributary

/// The daily work of Core Data programs: import in the background, show on the main actor, pass IDs, quit.
@MainActor
struct MainContextTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws { (folder, container) = try await Company.open() }

    @Test func theViewContextShowsOneGenerationBetweenMerges() async throws {
        let view = container.viewContext
        let id = try await container.hire("Ann")
        #expect(try view.fetch(Employee.self).isEmpty)
        await container.mergePendingChanges()
        #expect(try view.fetch(Employee.self).map(\.name) == ["Ann"])
        #expect((try view.existingObject(with: id) as? Employee)?.name == "Ann")
    }

    @Test func oneUpdateTellsOfAllThatWasMerged() async throws {
        var updates = container.storeUpdates().makeAsyncIterator()
        let first = try await container.hire("Ann")
        let second = try await container.hire("Bob")
        await container.mergePendingChanges()
        let update = await updates.next()
        #expect(update?.changes.tells(ofInserted: 2) == true)
        #expect(update?.changes.tells(of: first) == true && update?.changes.tells(of: second) == true)
    }

    @Test func objectsInUseAreRefreshedAndKeepWhatWasChangedHere() async throws {
        let view = container.viewContext
        let employee = try await container.hireIntoView("Ann")
        let id = employee.objectID
        var notices: [ObjectsDidChange] = []
        view.observeChanges { notices.append($0) }
        employee.name = "Bob"
        container.setMergeOptions(.unsaved)
        try await container.change(id) { $0.salary = 5 }
        await container.mergePendingChanges()
        #expect(employee.name == "Bob" && employee.salary == 5 && employee.isUpdated)
        #expect(notices.contains { $0.updated.contains(id) })
        view.mergePolicy = .error
        try view.save()
        #expect(try employee.committedValues(forKeys: ["name"]) == ["name": .string("Bob")])
    }

    @Test func anObjectThatIsDeletedElsewhereKeepsItsValues() async throws {
        let view = container.viewContext
        let employee = try await container.hireIntoView("Ann")
        let id = employee.objectID
        var notices: [ObjectsDidChange] = []
        view.observeChanges { notices.append($0) }
        try await container.delete(id)
        #expect(employee.state == .clean, "nothing moves before the merge")
        await container.mergePendingChanges()
        #expect(employee.state == .gone && employee.name == "Ann" && employee.objectID == id)
        #expect(notices.contains { $0.deleted.contains(id) })
    }

    @Test func itsOwnSaveShowsAtOnceWithEverythingBefore() async throws {
        let view = container.viewContext
        let other = try await container.hire("Ann")
        let own = try view.hireAndSave("Bob")
        #expect(own.state == .clean && !view.hasChanges)
        #expect(try view.names() == ["Ann", "Bob"])
        #expect(try view.existingObject(with: other).objectID == other)
    }

    @Test func aSaveElsewhereOfTheSameObjectIsMergedPropertyByProperty() async throws {
        let employee = try await container.hireIntoView("Ann")
        let id = employee.objectID
        employee.name = "Bob"
        try await container.change(id) { $0.salary = 5 }
        try container.viewContext.save()
        #expect(employee.name == "Bob" && employee.salary == 5)
    }

    @Test func relationshipsFollowAMerge() async throws {
        let view = container.viewContext
        let department = try view.insert(Department.self)
        try view.save()
        #expect(department.employees.isEmpty)
        let id = department.objectID
        try await container.save { try $0.hire("Ann").department = $0.object(with: id) as? Department }
        #expect(department.employees.isEmpty)
        await container.mergePendingChanges()
        #expect(department.employees.map(\.name) == ["Ann"])
    }

    @Test func closingWaitsForWhatWasAccepted() async throws {
        let background = container.newBackgroundContext()
        for number in 0..<20 {
            background.enqueue { _ = try? $0.hireAndSave("E\(number)") }
        }
        try await container.close()
        #expect(container.pendingSaves == 0)
        let view = container.viewContext
        #expect(throws: ContextError.closed) { try view.insert(Employee.self) }
        let again = try await Company.open(folder)
        #expect(try again.viewContext.count(for: FetchRequest("Employee")) == 20)
        try await again.close()
    }
}
