import TestSupport
import Testing
import Tributary
import TributaryStore

/// Inserting, fetching, changing, deleting and saving, in the background and on the main actor.
struct ContextTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws { (folder, container) = try await Company.open() }

    @Test func aSaveIsReadBack() async throws {
        let background = container.newBackgroundContext(name: "work", author: "ann")
        let id = try await background.perform { context in
            let employee = try context.insert(Employee.self)
            #expect(employee.name == "")
            #expect(employee.age == 30)
            employee.name = "Ann"
            employee.salary = 12.5
            #expect(context.hasChanges && context.insertedObjects == [employee])
            try context.save()
            #expect(!context.hasChanges && employee.state == .clean)
            #expect(context.lastSaveToken != nil)
            return employee.objectID
        }
        let snapshot = try await container.performBackgroundTask { try $0.existingObject(with: id).snapshot() }
        #expect(snapshot["name"] == .string("Ann"))
        #expect(snapshot["salary"] == .double(12.5))
        #expect(snapshot["age"] == .integer(30))
        #expect(snapshot["code"] == .null)
        let history = try container.committed
        #expect(history.last?.author == "ann")
        #expect(history.last?.contextName == "work")
    }

    @Test func anUpdateWritesOnlyWhatChanged() async throws {
        let background = container.newBackgroundContext()
        try await background.save { context in
            let employee = try context.hireAndSave("Ann")
            employee.salary = 10
            #expect(employee.changedValues() == ["salary": .double(10)])
            #expect(
                try employee.committedValues(forKeys: ["salary", "name"]) == ["salary": .null, "name": .string("Ann")]
            )
            #expect(context.updatedObjects == [employee])
        }
        let last = try container.committed.last
        #expect(last?.changes.map(\.properties) == [["salary"]])
    }

    @Test func anObjectThatWasNeverSavedLeavesNothing() async throws {
        try await container.performBackgroundTask { context in
            let employee = try context.insert(Employee.self)
            context.delete(employee)
            context.processPendingChanges()
            #expect(!context.hasChanges)
            try context.save()
            #expect(context.lastSaveToken == nil)
        }
    }

    @Test func abstractAndUnknownEntitiesAreRefused() async throws {
        await container.performBackgroundTask { context in
            #expect(throws: ContextError.unknownEntity("Boat")) { try context.insert(entity: "Boat") }
            let stranger = ManagedObjectID("Boat", UniqueID(high: 1, low: 1), store: "x")
            #expect(throws: ContextError.notFound(stranger)) { try context.existingObject(with: stranger) }
        }
    }

    @Test func valuesByNameAreChecked() async throws {
        try await container.performBackgroundTask { context in
            let employee = try context.insert("Employee", ["name": .string("Ann")])
            #expect(try employee.value(forKey: "name") == .string("Ann"))
            #expect(throws: ContextError.self) { try employee.setValue(.integer(1), forKey: "name") }
            #expect(throws: ContextError.self) { try employee.setValue(.integer(40_000), forKey: "age") }
            #expect(throws: ContextError.self) { try employee.value(forKey: "wings") }
            #expect(throws: ContextError.self) { try employee.value(forKey: "projects") }
            let department = try context.insert(Department.self)
            try employee.setValue(.reference(department.uniqueID), forKey: "department")
            #expect(department.employees.map(\.objectID) == [employee.objectID])
        }
    }

    @Test func subentitiesHaveTheirOwnClass() async throws {
        let background = container.newBackgroundContext()
        let id = try await background.perform { context in
            let foreman = try context.insert(Foreman.self)
            foreman.name = "Meg"
            foreman.bonus = 5
            try context.hireAndSave("Ann")
            return ManagedObjectID("Employee", foreman.uniqueID)
        }
        try await container.performBackgroundTask { (context: ManagedObjectContext) throws in
            // An ID that names the parent entity still leads to an object of the child's class.
            #expect((context.object(with: id) as? Foreman)?.bonus == 5)
            #expect(try context.fetch(Employee.self).count == 2)
            #expect(try context.fetch(Foreman.self).map(\.name) == ["Meg"])
            var request = FetchRequest("Employee")
            request.includesSubentities = false
            #expect(try context.fetch(request, as: Employee.self).map(\.name) == ["Ann"])
        }
    }

    @Test func rollbackAndResetDropChanges() async throws {
        try await container.performBackgroundTask { context in
            let kept = try context.hireAndSave("Ann")
            kept.name = "Bob"
            let new = try context.insert(Employee.self)
            let other = try context.insert(Department.self)
            kept.department = other
            context.rollback()
            #expect(kept.name == "Ann" && kept.state == .clean && new.state == .gone)
            #expect(kept.department == nil && other.employees.isEmpty && !context.hasChanges)
            context.delete(kept)
            context.rollback()
            #expect(kept.state == .clean)
            context.reset()
            #expect(kept.state == .detached && kept.managedObjectContext == nil)
            #expect(kept.name == "Ann", "the last values stay")
            #expect(try context.fetch(Employee.self).map(\.name) == ["Ann"])
        }
    }
}
