import TestSupport
import Testing
import Tributary
import TributaryStore

/// Several saves that are one transaction, and what is left when they come to nothing.
struct CoordinatorTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws { (folder, container) = try await Company.open() }

    private struct Stop: Error {}

    @Test func theSavesAreOneTransactionOfTheHistory() async throws {
        let background = container.newBackgroundContext(name: "load", author: "ann")
        let token = try await container.coordinator.perform(on: background) { context in
            let ann = try context.hireAndSave("Ann")
            ann.salary = 5
            try context.save()
            ann.salary = 6
            try context.hireAndSave("Bob")
            return context.lastSaveToken
        }
        let history = try container.committed
        #expect(history.count == 1 && history.first?.author == "ann" && history.first?.contextName == "load")
        #expect(token?.number == history.first?.number)
        let salaries = try await container.performBackgroundTask { context in
            try context.fetch(Employee.self, sortKeys: [SortKey("name")]).map(\.salary)
        }
        #expect(salaries == [6, nil])
    }

    @Test func whatALaterSaveDeletesIsNotInTheLog() async throws {
        let background = container.newBackgroundContext()
        let ann = try await background.save { try $0.hire("Ann").objectID }
        try await container.coordinator.perform(on: background) { context in
            let ann = try #require(context.object(with: ann, as: Employee.self))
            let (bob, project) = (try context.hire("Bob"), try context.insert(Project.self))
            (bob.projects, ann.projects) = ([project], [project])
            ann.salary = 5
            try context.save()
            context.delete(bob)
            try context.save()
            #expect(try context.fetch(Employee.self).map(\.name) == ["Ann"])
            #expect(project.objectID.uniqueID != bob.objectID.uniqueID && ann.projects == [project])
            ann.salary = 6
            try context.save()
        }
        let lines = try #require(try container.store.localTransactions().last).dropFirst()
        #expect(lines.first?.hasPrefix("{\"delete\":\"Employee\"") == true)
        #expect(lines.count { $0.contains("\"delete\"") } == 1 && lines.count { $0.contains("\"insert\"") } == 1)
        #expect(!lines.contains { $0.contains("Bob") })
        let kinds = try container.committed.last?.changes.map(\.kind)
        #expect(kinds?.contains(.delete) == false)
        // The objects of the context have the rows of the outcome.
        try await background.save { context in
            let ann = try #require(context.object(with: ann, as: Employee.self))
            #expect(ann.salary == 6 && ann.projects.count == 1)
            ann.salary = 7
        }
    }

    @Test func theBodyReadsItsOwnSavesAndNobodyElseDoes() async throws {
        let background = container.newBackgroundContext()
        let store = container.store
        let entity = try #require(container.model.entity(named: "Employee"))
        try await container.coordinator.perform(on: background) { context in
            try context.hireAndSave("Ann")
            #expect(try context.count(for: FetchRequest("Employee")) == 1)
            #expect(try store.read { try $0.count(FetchQuery(entity: entity)) } == 0)
        }
        #expect(try store.read { try $0.count(FetchQuery(entity: entity)) } == 1)
    }

    @Test func aBodyThatThrowsCommitsNothingAndTheContextKeepsItsChanges() async throws {
        let background = container.newBackgroundContext()
        let id = try await background.save { try $0.hire("Bob").objectID }
        await #expect(throws: Stop.self) {
            try await container.coordinator.perform(on: background) { context in
                try context.hire("Ann")
                context.object(with: id, as: Employee.self)?.name = "Bob2"
                try context.save()
                context.object(with: id, as: Employee.self)?.salary = 4
                throw Stop()
            }
        }
        #expect(try container.committed.count == 1)
        try await background.save { context in
            #expect(context.insertedObjects.count == 1)
            let bob = try #require(context.updatedObjects.first as? Employee)
            #expect(bob.changedValues() == ["name": .string("Bob2"), "salary": .double(4)])
        }
        #expect(try container.committed.count == 2)
        let names = try await container.names()
        #expect(names == ["Ann", "Bob2"])
    }

    @Test func deletionsAndLinksComeBackWhenTheBodyThrows() async throws {
        let background = container.newBackgroundContext()
        let (ann, project) = try await background.save { context in
            let (ann, project) = (try context.insert(Employee.self), try context.insert(Project.self))
            ann.name = "Ann"
            return (ann.objectID, project.objectID)
        }
        await #expect(throws: Stop.self) {
            try await container.coordinator.perform(on: background) { context in
                let employee = try #require(context.object(with: ann, as: Employee.self))
                employee.projects = [try #require(context.object(with: project, as: Project.self))]
                try context.save()
                context.delete(employee)
                try context.save()
                throw Stop()
            }
        }
        try await background.perform { context in
            #expect(context.deletedObjects.map(\.objectID) == [ann])
            context.rollback()
            let employee = try #require(context.object(with: ann, as: Employee.self))
            #expect(employee.name == "Ann" && employee.projects.isEmpty)
        }
        #expect(try container.committed.count == 1)
    }

    @Test func changesThatTheBlockDidNotSaveStayUnsaved() async throws {
        let background = container.newBackgroundContext()
        try await container.coordinator.perform(on: background) { context in
            try context.hireAndSave("Ann")
            try context.hire("Bob")
        }
        #expect(await background.perform { $0.insertedObjects.count } == 1)
        #expect(try container.committed.first?.changes.count == 1)
    }

    @Test func aBodyWithoutSavesCommitsNothing() async throws {
        let background = container.newBackgroundContext()
        #expect(try await container.coordinator.perform(on: background) { _ in 7 } == 7)
        #expect(try container.committed.isEmpty)
    }

    @Test func aTurnInsideATurnIsTheSameOne() async throws {
        let background = container.newBackgroundContext()
        try await container.coordinator.perform(on: background) { context in
            try context.performInOneTransaction { _ = try context.hireAndSave("Ann") }
            try context.hireAndSave("Bob")
        }
        #expect(try container.committed.count == 1)
    }

    @Test @MainActor func theViewContextShowsItsTransactionAtOnceAndOneUpdateIsPosted() async throws {
        var updates = container.storeUpdates().makeAsyncIterator()
        try container.coordinator.perform { context in
            for name in ["Ann", "Bob"] {
                try context.hireAndSave(name)
            }
        }
        #expect(try container.viewContext.count(for: FetchRequest("Employee")) == 2)
        #expect(try container.committed.count == 1)
        #expect(await updates.next()?.changes.tells(ofInserted: 2) == true)
    }

    @Test @MainActor func theViewContextKeepsItsChangesWhenTheBodyThrows() throws {
        #expect(throws: Stop.self) {
            try container.coordinator.perform { context in
                try context.hireAndSave("Ann")
                throw Stop()
            }
        }
        #expect(container.viewContext.insertedObjects.count == 1)
        try container.viewContext.save()
        #expect(try container.committed.count == 1)
    }

    @Test func aConflictInsideTheBodyCanBeCaught() async throws {
        let (background, _) = try await Company.conflict(in: container)
        try await container.coordinator.perform(on: background) { context in
            #expect(throws: ConflictError.self) { try context.save() }
            context.mergePolicy = .objectTrump
            try context.save()
        }
        #expect(try container.committed.count == 3)
    }

    @Test func otherSaversWaitForTheTurn() async throws {
        let (first, second) = (container.newBackgroundContext(), container.newBackgroundContext())
        let (begun, begin) = AsyncStream<Void>.makeStream()
        async let held: Void = container.coordinator.perform(on: first) { context in
            begin.yield(())
            try context.hireAndSave("A")
            try context.hireAndSave("B")
        }
        for await _ in begun { break }
        try await second.save { _ = try $0.hire("C") }
        try await held
        #expect(try container.committed.map(\.changes.count) == [2, 1])
    }

    @Test func aBatchInTheBodyIsRefusedAndTheSavesStand() async throws {
        let background = container.newBackgroundContext()
        try await container.coordinator.perform(on: background) { context in
            try context.hireAndSave("Ann")
            let rows: [[String: PropertyValue]] = [["name": .string("Cid")]]
            #expect(throws: ContextError.self) { try context.execute(BatchInsertRequest("Employee", rows: rows)) }
            #expect(throws: ContextError.self) {
                try context.newChild().execute(BatchInsertRequest("Employee", rows: rows))
            }
            #expect(throws: ContextError.self) { try context.pin() }
            try context.hireAndSave("Bob")
        }
        #expect(try container.committed.map(\.changes.count) == [2])
        let names = try await container.names()
        #expect(names == ["Ann", "Bob"])
    }

    @Test func aChildHasNoTurn() async {
        await container.performBackgroundTask { context in
            let child = context.newChild()
            #expect(throws: ContextError.self) { try child.performInOneTransaction {} }
        }
    }
}
