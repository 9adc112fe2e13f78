import TestSupport
import Testing
import TributaryChanges
import TributaryStore

@testable import Tributary

/// An object that a context has deleted, and a new one with its ID, in one save.
struct ReinsertionTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws { (folder, container) = try await Company.open() }

    /// Ann in a department, in a project and with a note, a counter and all values.
    private func ann() async throws -> ManagedObjectID {
        try await container.save { context in
            let ann = try context.hire("Ann")
            ann.salary = 5
            ann.age = 50
            try ann.setValue(.integer(7), forKey: "visits")
            ann.department = try context.insert(Department.self)
            let project = try context.insert(Project.self)
            project.members = [ann, try context.hire("Bob")]
            let note = try context.insert(entity: "Note")
            try note.setValue(.reference(ann.uniqueID), forKey: "writer")
            return ann.objectID
        }
    }

    private static func replace(_ id: ManagedObjectID, in context: ManagedObjectContext) throws -> Employee {
        context.delete(try context.existingObject(with: id))
        let object = try context.insert(Employee.self, id: id.uniqueID)
        object.name = "New"
        return object
    }

    private func check(_ id: ManagedObjectID, _ container: PersistentContainer) async throws {
        try await container.performBackgroundTask { context in
            let object = try #require(try context.existingObject(with: id) as? Employee)
            #expect(object.name == "New" && object.salary == nil && object.age == 30)
            #expect(try object.value(forKey: "visits") == .integer(7), "a deletion keeps the totals of a counter")
            #expect(object.department == nil && object.projects.isEmpty)
            #expect(try object.objects(forKey: "notes").count == 1, "No Action leaves the reference")
            #expect(try context.fetch(Project.self).first?.members.map(\.name) == ["Bob"])
        }
    }

    @Test func `the new object has only what was set, here and on another machine`() async throws {
        let other = try await PersistentContainer.open(
            at: folder.path("other.sqlite"),
            "company",
            model: Company.model(),
            classes: Company.classes,
            environment: .system,
            merging: .fixture
        )
        let id = try await ann()
        try ReplicaExchange.send(from: container.store, to: other.store)
        try await container.save { context in
            let former = try context.existingObject(with: id)
            let object = try Self.replace(id, in: context)
            #expect(former.state == .gone && object.isInserted && context.object(with: id) === object)
            #expect(try object.objects(forKey: "notes").count == 1 && object.projects.isEmpty)
            #expect(try context.fetch(Employee.self).filter { $0.uniqueID == id.uniqueID } == [object])
            #expect(try context.count(for: FetchRequest("Employee")) == 2)
            try context.save()
            #expect(object.state == .clean && !context.hasChanges)
            #expect(try object.value(forKey: "visits") == .integer(7))
            object.name = "New"
        }
        try await check(id, container)
        try ReplicaExchange.send(from: container.store, to: other.store)
        try await check(id, other)
        #expect(try container.store.digest() == other.store.digest())
    }

    @Test func `the new object may be of another class, and have the links of the deleted one`() async throws {
        let id = try await ann()
        try await container.save { context in
            let former = try #require(try context.existingObject(with: id) as? Employee)
            let (project, department) = (try #require(former.projects.first), former.department)
            context.delete(former)
            let foreman = try context.insert(Foreman.self, id: id.uniqueID)
            foreman.name = "New"
            foreman.department = department
            project.members.append(foreman)
        }
        try await container.performBackgroundTask { context in
            let object = try #require(try context.existingObject(with: id) as? Foreman)
            #expect(object.department?.employees == [object] && object.projects.count == 1)
            #expect(object.projects.first?.members.count == 2)
        }
    }

    @Test func `a rollback, a deletion and undo bring back the state before`() async throws {
        let id = try await ann()
        try await container.save { context in
            let former = try #require(try context.existingObject(with: id) as? Employee)
            _ = try Self.replace(id, in: context)
            context.rollback()
            #expect(former.state == .clean && former.name == "Ann" && context.object(with: id) === former)
            #expect(former.projects.count == 1 && !context.hasChanges)

            let object = try Self.replace(id, in: context)
            context.delete(object)
            context.processPendingChanges()
            #expect(object.state == .gone && context.deletedObjects == [former])
            context.rollback()

            let stack = UndoStack()
            context.undoStack = stack
            let second = try Self.replace(id, in: context)
            context.undo()
            #expect(second.state == .gone && former.state == .clean && former.name == "Ann")
            #expect(former.projects.first?.members.count == 2 && former.department?.employees == [former])
            #expect(!context.hasChanges)
            context.redo()
            #expect(former.state == .gone && second.isInserted && second.name == "New")
            try context.save()
            context.undo()
            #expect(context.insertedObjects == [former] && former.name == "Ann" && former.projects.count == 1)
        }
        try await container.performBackgroundTask { context in
            let object = try #require(try context.existingObject(with: id) as? Employee)
            #expect(object.name == "Ann" && object.salary == 5 && object.projects.count == 1)
        }
    }

    @Test(arguments: [MergePolicy.error, .objectTrump, .storeTrump])
    func `a conflict about the deleted object is resolved as for a deletion`(_ policy: MergePolicy) async throws {
        let id = try await ann()
        let background = container.newBackgroundContext(mergePolicy: policy)
        try await background.perform { _ = try Self.replace(id, in: $0) }
        try await container.save { context in
            (try context.existingObject(with: id) as? Employee)?.name = "Elsewhere"
        }
        let isRefused = await background.perform { context in
            do {
                try context.save()
                return false
            } catch {
                let conflicts = (error as? ConflictError)?.conflicts ?? []
                #expect(conflicts.map(\.isDeletion) == [true] && conflicts.map(\.changedProperties) == [[]])
                return true
            }
        }
        #expect(isRefused == (policy == .error))
        let name = try await container.performBackgroundTask { context in
            (try context.existingObject(with: id) as? Employee)?.name
        }
        #expect(name == (policy == .objectTrump ? "New" : "Elsewhere"))
    }

    @Test func `an object whose deletion Deny forbids keeps its ID`() async throws {
        let id = try await ann()
        try await container.performBackgroundTask { context in
            let locker = try context.insert(entity: "Locker")
            try locker.setValue(.reference(id.uniqueID), forKey: "holder")
            try context.save()
            context.delete(try context.existingObject(with: id))
            #expect(throws: ContextError.duplicateID(id)) { try context.insert(Employee.self, id: id.uniqueID) }
        }
    }

    @Test func `an object that was never saved makes way without a deletion`() async throws {
        try await container.performBackgroundTask { context in
            let first = try context.hire("First")
            let id = first.objectID
            context.delete(first)
            let second = try context.insert(Employee.self, id: id.uniqueID)
            second.name = "Second"
            try context.save()
            #expect(try context.fetch(Employee.self) == [second])
        }
        let lines = try container.store.localTransactions(from: 1).flatMap { $0 }
        #expect(!lines.contains { $0.contains("\"delete\"") })
    }

    private struct Failure: Error {}

    private static func saveInFailingTransaction(_ id: ManagedObjectID, _ context: ManagedObjectContext) {
        do {
            try context.performInOneTransaction {
                _ = try replace(id, in: context)
                try context.save()
                throw Failure()
            }
        } catch {
            #expect(error is Failure)
        }
    }

    @Test func `saves of one transaction and failed transactions`() async throws {
        let id = try await ann()
        try await container.performBackgroundTask { context in
            let former = try context.existingObject(with: id)
            Self.saveInFailingTransaction(id, context)
            #expect(former.state == .gone && context.object(with: id).isInserted)
            try context.performInOneTransaction { try context.save() }
        }
        try await check(id, container)
        try await container.performBackgroundTask { context in
            try context.performInOneTransaction {
                context.delete(try context.existingObject(with: id))
                try context.save()
                try context.insert(Employee.self, id: id.uniqueID).name = "Third"
                try context.save()
            }
            #expect((try context.existingObject(with: id) as? Employee)?.name == "Third")
        }
    }

    /// The deletion in one save, and the insertion in the next one or in none.
    @Test(arguments: [false, true], [false, true])
    func `an ID that a failed transaction has freed has one object`(isSaved: Bool, isNew: Bool) async throws {
        let free = ManagedObjectID(
            store: "company",
            entity: "Employee",
            rootEntity: "Employee",
            uniqueID: UniqueID(high: 1, low: 1)
        )
        let id = isNew ? free : try await ann()
        try await container.performBackgroundTask { context in
            var former: ManagedObject?
            var new: Employee?
            #expect(throws: Failure.self) {
                try context.performInOneTransaction {
                    if isNew {
                        try context.insert(Employee.self, id: id.uniqueID).name = "Ann"
                        try context.save()
                    }
                    former = try context.existingObject(with: id)
                    former.map(context.delete)
                    try context.save()
                    new = try context.insert(Employee.self, id: id.uniqueID)
                    new?.name = "New"
                    if isSaved { try context.save() }
                    throw Failure()
                }
            }
            let object = try #require(new)
            #expect(former?.state == .gone && context.object(with: id) === object)
            #expect(context.insertedObjects == [object] && context.deletedObjects.isEmpty)
            #expect(try object.objects(forKey: "notes").count == (isNew ? 0 : 1) && object.projects.isEmpty)
            try context.save()
            #expect(!context.hasChanges && object.state == .clean)
        }
        guard isNew else { return try await check(id, container) }
        let names = try await container.performBackgroundTask { try $0.fetch(Employee.self).map(\.name) }
        #expect(names == ["New"])
        #expect(try !container.store.localTransactions().joined().contains { $0.contains("\"delete\"") })
    }

    @Test(arguments: [false, true])
    func `a rollback or an undo after a failed transaction brings back the object whose ID it has freed`(
        isUndone: Bool
    ) async throws {
        let id = try await ann()
        try await container.performBackgroundTask { context in
            context.undoStack = UndoStack()
            let former = try #require(try context.existingObject(with: id) as? Employee)
            #expect(throws: Failure.self) {
                try context.performInOneTransaction {
                    context.delete(former)
                    try context.save()
                    try context.insert(Employee.self, id: id.uniqueID).name = "New"
                    throw Failure()
                }
            }
            if isUndone { context.undo() } else { context.rollback() }
            #expect(former.state == .clean && former.name == "Ann" && context.object(with: id) === former)
            #expect(former.projects.count == 1 && !context.hasChanges)
        }
    }

    @Test(arguments: [false, true])
    func `a child may replace an object of its parent`(isOnOwnQueue: Bool) async throws {
        let id = try await ann()
        let background = container.newBackgroundContext()
        let former = try await background.perform { context in
            context.retainsRegisteredObjects = true
            return try context.existingObject(with: id).objectID
        }
        #expect(former == id)
        if isOnOwnQueue {
            try await background.newChild().save { context in
                _ = try Self.replace(id, in: context)
            }
        } else {
            try await background.perform { context in
                let child = context.newChild()
                _ = try Self.replace(id, in: child)
                try child.save()
            }
        }
        try await background.save { context in
            let object = try #require(context.object(with: id) as? Employee)
            #expect(object.isInserted && object.name == "New" && object.salary == nil && object.projects.isEmpty)
        }
        try await check(id, container)
    }

    // MARK: Upserts and requests

    @Test func `an upsert after the deletion of its key's object has the key's ID`() async throws {
        let key = (Employee.name, "Ann")
        let id = try await container.save { context in
            try context.upsert(Employee.self, identity: .key, by: key).objectID
        }
        try await container.save { context in
            context.delete(try context.existingObject(with: id))
            let object = try context.upsert(Employee.self, identity: .key, by: key)
            #expect(object.objectID == id)
        }
        #expect(try await container.performBackgroundTask { try $0.count(for: FetchRequest("Employee")) } == 1)
    }

    @Test func `a request deletes an object and inserts it again`() async throws {
        let id = try await ann()
        func change(_ operation: Change.Operation, ifVersion: Int64? = nil) -> ConditionalChange {
            ConditionalChange(Change(entity: "Employee", id: id.uniqueID, operation: operation), ifVersion: ifVersion)
        }
        let deletion = change(.delete)
        let insertion = change(.insert([PropertyWrite(name: "name", value: .string("New"))]))
        try await container.save { context in
            let ids = try context.apply([deletion, insertion])
            #expect(ids == [id, id])
        }
        try await check(id, container)
        let first = try await container.performBackgroundTask { context in
            #expect(throws: ChangeError(index: 0, reason: .duplicateID(id))) {
                try context.apply([insertion, deletion])
            }
            return try #require(try context.existingObject(with: id).rowRevision)
        }
        // The condition of a deletion holds for the object that it deletes.
        let stale = change(.delete, ifVersion: first - 1)
        await #expect(throws: ChangeError.self) {
            try await container.save { _ = try $0.apply([stale, insertion]) }
        }
    }
}
