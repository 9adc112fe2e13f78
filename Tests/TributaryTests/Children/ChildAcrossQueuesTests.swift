import TestSupport
import Testing
import Tributary
import TributaryStore

/// A child with a queue of its own: staged saves, order, and what its parent's other children see.
struct ChildAcrossQueuesTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws { (folder, container) = try await Company.open() }

    private struct Stop: Error {}

    @MainActor
    private func names() throws -> [String] {
        try container.viewContext.names()
    }

    @MainActor
    @discardableResult
    private func add(_ name: String) throws -> ManagedObjectID {
        try container.viewContext.hire(name).objectID
    }

    @Test func anImportShowsInTheViewContextAndIsStoredWithItsSave() async throws {
        let json = #"[{"name": "Ann", "salary": 12.5}, {"name": "Bob", "salary": 11}]"#
        let importer = container.newChildOfViewContext(name: "import")
        try await importer.perform { context in
            guard case .array(let people)? = JSONValue(text: json) else { throw Stop() }
            for person in people {
                let employee = try context.insert(Employee.self)
                if case .string(let name)? = person["name"] { employee.name = name }
                if case .double(let salary)? = person["salary"] { employee.salary = salary }
            }
            try context.save()
            #expect(!context.hasChanges)
        }
        #expect(try await names() == ["Ann", "Bob"])
        #expect(try container.storedEmployees == 0)
        try await MainActor.run { try container.viewContext.save() }
        #expect(try container.storedEmployees == 2)
    }

    @Test func theParentHasAbsorbedTheSaveWhenPerformReturns() async throws {
        let parent = container.newBackgroundContext()
        let child = parent.newChild()
        for number in 0..<20 {
            try await child.save { _ = try $0.hire("\(number)") }
            #expect(await parent.perform { $0.insertedObjects.count } == number + 1)
        }
        #expect(try container.storedEmployees == 0)
    }

    @Test func theParentAbsorbsAlsoWhenTheBodyThrowsAfterTheSave() async throws {
        let child = container.newChildOfViewContext()
        await #expect(throws: Stop.self) {
            try await child.perform { context in
                try context.hireAndSave("Ann")
                try context.hire("Bob")
                throw Stop()
            }
        }
        #expect(try await names() == ["Ann"])
        #expect(await child.perform { $0.insertedObjects.count } == 1)
    }

    @Test func anErrorKeepsItsType() async {
        let child = container.newChildOfViewContext()
        do throws(ContextError) {
            try await child.perform { (context) throws(ContextError) in _ = try context.insert(entity: "Boat") }
            Issue.record("nothing was thrown")
        } catch {
            #expect(error == .unknownEntity("Boat"))
        }
    }

    @Test func severalSavesOfOneBodyArriveInOrder() async throws {
        let child = container.newChildOfViewContext()
        let id = try await child.save { context in
            let employee = try context.insert(Employee.self)
            for number in 0..<5 {
                employee.name = "\(number)"
                try context.save()
            }
            let other = try context.hireAndSave("gone")
            context.delete(other)
            return employee.objectID
        }
        #expect(try await names() == ["4"])
        #expect(await MainActor.run { container.viewContext.insertedObjects.map(\.objectID) } == [id])
    }

    @Test func theChildReadsItsOwnStagedSaves() async throws {
        let child = container.newChildOfViewContext()
        try await child.perform { context in
            let department = try context.insert(Department.self)
            let ann = try context.hire("Ann")
            ann.department = department
            try context.save()
            #expect(try context.count(for: FetchRequest("Employee")) == 1)
            context.refresh(ann, mergeChanges: false)
            context.refresh(department, mergeChanges: false)
            #expect(ann.name == "Ann" && department.employees == [ann])
        }
    }

    @Test func aStagedUpdateHidesNoStoredRelationship() async throws {
        let id = try await container.save { context in
            let department = try context.insert(Department.self)
            try context.hire("Ann").department = department
            return department.objectID
        }
        try await container.newBackgroundContext().newChild().perform { context in
            let department = try #require(context.object(with: id, as: Department.self))
            department.title = "Tools"
            try context.save()
            #expect(department.employees.map(\.name) == ["Ann"])
        }
    }

    @Test func aBodyBeginsWithTheParentsUnsavedState() async throws {
        let ann = try await add("Ann")
        let child = container.newChildOfViewContext()
        let name = await child.perform { $0.object(with: ann, as: Employee.self)?.name }
        #expect(name == "Ann")
        await MainActor.run { container.viewContext.object(with: ann, as: Employee.self)?.name = "Bea" }
        #expect(try await child.perform { try $0.fetch(Employee.self).map(\.name) } == ["Bea"])
    }

    @Test func anotherChildSeesTheSaveAtItsNextPerform() async throws {
        let ann = try await add("Ann")
        let (first, second) = (container.newChildOfViewContext(), container.newChildOfViewContext())
        // The object stays in use, with a change, from one body to the next.
        await second.perform { $0.object(with: ann, as: Employee.self)?.salary = 1 }
        try await first.save { $0.object(with: ann, as: Employee.self)?.name = "Bea" }
        let seen = await second.perform { context in
            (context.updatedObjects.first as? Employee).map { ($0.name, $0.salary) }
        }
        #expect(seen?.0 == "Bea" && seen?.1 == 1)
    }

    @Test func enqueuedBodiesKeepTheirOrder() async throws {
        let parent = container.newBackgroundContext()
        let child = parent.newChild()
        for number in 0..<100 {
            child.enqueue { context in
                guard let employee = try? context.insert(Employee.self) else { return }
                employee.name = "\(number)"
                try? context.save()
            }
        }
        #expect(try await child.perform { try $0.count(for: FetchRequest("Employee")) } == 100)
        let names = await parent.perform { $0.insertedObjects.compactMap { ($0 as? Employee)?.name } }
        #expect(names == (0..<100).map(String.init))
    }

    @Test func closingWaitsForWhatWasEnqueuedOnAChild() async throws {
        let child = container.newChildOfViewContext()
        for number in 0..<10 {
            child.enqueue { _ = try? $0.hireAndSave("\(number)") }
        }
        try await container.close()
        let again = try await Company.open(folder)
        let count = try await again.performBackgroundTask { try $0.count(for: FetchRequest("Employee")) }
        #expect(count == 10, "the last merge saves the view context")
        try await again.close()
    }

    @Test func aValueIsHandedOver() async throws {
        final class Draft { var name = "Ann" }
        let child = container.newChildOfViewContext()
        try await child.perform(with: Draft()) { context, draft in
            try context.insert(Employee.self).name = draft.name
            try context.save()
        }
        child.enqueue(with: Draft()) { context, draft in
            (try? context.insert(Employee.self))?.name = draft.name + "2"
            try? context.save()
        }
        await child.perform { _ in }
        #expect(try await names() == ["Ann", "Ann2"])
    }

    @Test func threeQueuesDeep() async throws {
        let parent = container.newBackgroundContext()
        try await parent.perform { _ = try $0.hire("A") }
        let child = parent.newChild()
        let grandchild = child.newChild()
        try await child.perform { _ = try $0.hire("B") }
        try await grandchild.save { context in
            #expect(try context.names() == ["A", "B"])
            try context.hire("C")
        }
        #expect(await child.perform { $0.insertedObjects.count } == 2)
        #expect(await parent.perform { $0.insertedObjects.count } == 1)
        try await child.perform { try $0.save() }
        #expect(await parent.perform { $0.insertedObjects.count } == 3)
        try await parent.perform { try $0.save() }
        #expect(try container.storedEmployees == 3)
    }

    @Test func aChangeToAnObjectThatTheParentDeletedMeanwhileIsDiscarded() async throws {
        let ann = try await add("Ann")
        try await MainActor.run { try container.viewContext.save() }
        let child = container.newChildOfViewContext()
        await child.perform { $0.object(with: ann, as: Employee.self)?.name = "Late" }
        await MainActor.run { container.viewContext.delete(container.viewContext.object(with: ann)) }
        let discarded = try await child.perform { context in
            // The body begins with the parent's state, and drops the change then.
            #expect(context.updatedObjects.isEmpty)
            try context.save()
            return context.hasChanges
        }
        #expect(!discarded)
        #expect(await MainActor.run { container.viewContext.deletedObjects.count } == 1)
    }

    @Test func validationFailsInTheChildAndLeavesTheParentClean() async throws {
        let child = container.newChildOfViewContext()
        await #expect(throws: ValidationError.self) {
            try await child.save { _ = try $0.insert(Employee.self) }
        }
        #expect(await MainActor.run { !container.viewContext.hasChanges })
    }

    @Test func manyChildrenOfOneParentLoseNothing() async throws {
        let parent = container.newBackgroundContext()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<6 {
                let child = parent.newChild(name: "child \(writer)")
                group.addTask {
                    for number in 0..<20 {
                        try await child.save { _ = try $0.hire("\(writer).\(number)") }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(await parent.perform { $0.insertedObjects.count } == 120)
        try await parent.perform { try $0.save() }
        #expect(try container.storedEmployees == 120)
    }

    @Test func theViewContextsGenerationIsTheChilds() async throws {
        let child = container.newChildOfViewContext()
        try await container.hire("Ann")
        #expect(try await child.perform { try $0.count(for: FetchRequest("Employee")) } == 0)
        await container.mergePendingChanges()
        #expect(try await child.perform { try $0.count(for: FetchRequest("Employee")) } == 1)
    }
}
