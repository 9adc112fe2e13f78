import TestSupport
import Testing
import Tributary

/// Changes are grouped and notified once; rollback, reset and refresh undo them.
struct PendingChangesTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws { (folder, container) = try await Company.open() }

    private final class Ear {
        var notices: [ObjectsDidChange] = []
        func take() -> [ObjectsDidChange] {
            defer { notices = [] }
            return notices
        }
    }

    @Test func changesAreNotifiedInGroups() async throws {
        try await container.performBackgroundTask { context in
            let ear = Ear()
            let observer = context.observeChanges { ear.notices.append($0) }
            let ann = try context.hire("Ann")
            let bob = try context.hire("Bob")
            #expect(ear.notices.isEmpty, "not change by change")
            context.processPendingChanges()
            #expect(ear.take().map(\.inserted) == [[ann.objectID, bob.objectID]])
            context.processPendingChanges()
            #expect(ear.take().isEmpty)
            try context.save()
            ann.salary = 1
            _ = try context.count(for: FetchRequest("Employee"))
            #expect(ear.take().map(\.updated) == [[ann.objectID]], "a count comes after the group")
            context.delete(bob)
            context.mergeChanges(ObjectChanges())
            #expect(ear.take().map(\.deleted) == [[bob.objectID]], "and so does a merge")
            let cid = try context.hire("Cid")
            _ = try context.fetch(FetchRequest("Employee"))
            #expect(ear.take().map(\.inserted) == [[cid.objectID]])
            let dan = try context.hireAndSave("Dan")
            #expect(ear.take().contains { $0.inserted == [dan.objectID] }, "and a save")
            context.removeObserver(observer)
            ann.salary = 2
            context.processPendingChanges()
            #expect(ear.take().isEmpty)
        }
    }

    @Test func theEndOfAPerformEndsTheGroup() async throws {
        let background = container.newBackgroundContext()
        let (told, ending) = AsyncStream<Set<ManagedObjectID>>.makeStream()
        let id = try await background.perform { context in
            context.observeChanges { ending.yield($0.inserted) }
            return try context.hire("Ann").objectID
        }
        var iterator = told.makeAsyncIterator()
        #expect(await iterator.next() == [id])
    }

    @Test @MainActor func theViewContextTellsInAJobOfItsOwn() async throws {
        let view = container.viewContext
        let (told, ending) = AsyncStream<Set<ManagedObjectID>>.makeStream()
        view.observeChanges { ending.yield($0.inserted) }
        let ids = [try view.hire("Ann").objectID, try view.hire("Bob").objectID]
        var iterator = told.makeAsyncIterator()
        #expect(await iterator.next() == Set(ids), "nobody had to ask")
        view.rollback()
    }

    @Test func anObserverMayChangeObjects() async throws {
        try await container.performBackgroundTask { context in
            let ann = try context.hireAndSave("Ann")
            var rounds = 0
            context.observeChanges { _ in
                rounds += 1
                if ann.age < 33 { ann.age += 1 }
            }
            ann.salary = 1
            context.processPendingChanges()
            #expect(ann.age == 33 && rounds == 4)
        }
    }

    @Test func theListsTellWhatASaveWouldDo() async throws {
        try await container.performBackgroundTask { context in
            let (ann, bob, cid) = (try context.hire("Ann"), try context.hire("Bob"), try context.hire("Cid"))
            #expect(context.insertedObjects == [ann, bob, cid])
            try context.save()
            #expect(!context.hasChanges && context.insertedObjects.isEmpty)
            let new = try context.hire("New")
            bob.salary = 1
            context.delete(cid)
            #expect(context.hasChanges)
            #expect(context.insertedObjects == [new])
            #expect(context.updatedObjects == [bob])
            #expect(context.deletedObjects == [cid])
            #expect(Set(context.registeredObjects) == [ann, bob, cid, new])
            #expect(context.registeredObject(for: ann.objectID) === ann)
        }
    }

    @Test func changedAndCommittedValues() async throws {
        try await container.performBackgroundTask { context in
            let ann = try context.hire("Ann")
            #expect(ann.changedValues() == ["name": .string("Ann")])
            #expect(try ann.committedValues(forKeys: ["name"]) == ["name": .null], "never saved")
            try context.save()
            #expect(ann.changedValues().isEmpty && ann.changedValuesForCurrentEvent().isEmpty)
            let department = try context.insert(Department.self)
            ann.department = department
            context.processPendingChanges()
            ann.salary = 2
            ann.name = "Bob"
            #expect(Set(ann.changedValues().keys) == ["department", "salary", "name"])
            #expect(ann.changedValuesForCurrentEvent() == ["salary": .null, "name": .string("Ann")])
            context.processPendingChanges()
            #expect(ann.changedValuesForCurrentEvent().isEmpty)
            #expect(
                try ann.committedValues(forKeys: ["name", "salary", "department"]) == [
                    "name": .string("Ann"), "salary": .null, "department": .null,
                ]
            )
            #expect(throws: ContextError.unknownProperty(entity: "Employee", property: "wings")) {
                try ann.committedValues(forKeys: ["wings"])
            }
        }
    }

    @Test func aRollbackTakesEverythingBack() async throws {
        try await container.performBackgroundTask { context in
            let (ann, bob) = (try context.hire("Ann"), try context.hire("Bob"))
            let project = try context.insert(Project.self)
            ann.projects = [project]
            try context.save()
            let new = try context.hire("New")
            ann.name = "Cid"
            ann.projects = []
            new.projects = [project]
            context.delete(bob)
            context.rollback()
            #expect(!context.hasChanges)
            #expect(ann.name == "Ann" && ann.projects == [project] && project.members == [ann])
            #expect(bob.state == .clean && new.state == .gone)
            #expect(try context.fetch(Employee.self, sortKeys: [SortKey("name")]) == [ann, bob])
        }
    }

    @Test func refreshingKeepsOrDropsWhatWasChangedHere() async throws {
        let background = container.newBackgroundContext()
        try await background.perform { context in
            let (ann, bob) = (try context.hire("Ann"), try context.hire("Bob"))
            try context.save()
            let ids = [ann.objectID, bob.objectID]
            ann.salary = 1
            bob.salary = 1
            container.newBackgroundContext().performAndWait { other in
                for id in ids { (other.object(with: id) as? Employee)?.age = 60 }
                try? other.save()
            }
            #expect(ann.age == 30)
            context.refresh(ann, mergeChanges: true)
            #expect(ann.age == 60 && ann.salary == 1 && ann.isUpdated)
            context.refresh(bob, mergeChanges: false)
            #expect(bob.isFault && !bob.isUpdated)
            #expect(bob.age == 60 && bob.salary == nil)
            try context.save()
            #expect(ann.salary == 1, "what was merged does not conflict")
        }
        try await background.perform { context in
            let ann = try #require(try context.fetch(Employee.self, sortKeys: [SortKey("name")]).first)
            let id = ann.objectID
            container.newBackgroundContext().performAndWait { other in
                (other.object(with: id) as? Employee)?.age = 61
                try? other.save()
            }
            ann.salary = 3
            context.refreshAllObjects()
            #expect(ann.age == 61 && ann.salary == 3)
        }
    }

    @Test func refreshingLeavesAnObjectThatWasNeverSaved() async throws {
        try await container.newBackgroundContext().perform { context in
            let (ann, bob) = (try context.hire("Ann"), try context.hire("Bob"))
            context.delete(bob)
            for object in [ann, bob] { context.refresh(object, mergeChanges: false) }
            #expect(ann.isInserted && ann.name == "Ann")
            #expect(bob.isDeleted, "the store has no row that a fault could read")
            try context.save()
            #expect(try context.fetch(Employee.self) == [ann])
        }
    }

    @Test func processingPropagatesNullifyAndCascadeButNotDeny() async throws {
        try await container.performBackgroundTask { context in
            let department = try context.insert(Department.self)
            let ann = try context.hire("Ann")
            ann.department = department
            let badge = try context.insert(Badge.self)
            ann.badge = badge
            let locker = try context.insert(entity: "Locker")
            try ann.link(locker, forKey: "lockers")
            try context.save()

            context.delete(department)
            context.processPendingChanges()
            #expect(ann.department == nil && context.updatedObjects.contains(ann))
            context.delete(ann)
            context.processPendingChanges()
            #expect(context.deletedObjects == [department, ann, badge], "the denial is not looked at yet")
            #expect(throws: ValidationError.self) { try context.save() }
            #expect(context.deletedObjects.count == 3)
            context.delete(locker)
            try context.save()
            #expect(try context.count(for: FetchRequest("Employee")) == 0)
            #expect(try context.count(for: FetchRequest("Badge")) == 0)
        }
    }

    @Test func aFetchSeesPropagatedDeletions() async throws {
        try await container.performBackgroundTask { context in
            let ann = try context.hire("Ann")
            ann.badge = try context.insert(Badge.self)
            try context.save()
            context.delete(ann)
            #expect(try context.fetch(FetchRequest("Badge")).isEmpty, "the cascade has run")
            context.rollback()
            #expect(try context.fetch(FetchRequest("Badge")).count == 1)
            #expect(try context.fetch(FetchRequest("Employee")).count == 1)
        }
    }
}
