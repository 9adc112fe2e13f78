import TestSupport
import Testing
import Tributary

/// Hooks are called at their times and in their order.
struct HookTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws {
        folder = try TemporaryFolder("hooks")
        container = try await Company.open(folder, classes: [HookedObject.self, HookedBadge.self])
    }

    private func insert(_ context: ManagedObjectContext) throws -> HookedObject {
        let object = try context.insert(HookedObject.self)
        object.name = "Ann"
        return object
    }

    private func insertAndSave(_ context: ManagedObjectContext) throws -> HookedObject {
        let object = try insert(context)
        try context.save()
        return object
    }

    @Test func anInsertedObjectIsNotifiedOnceAndThenOfItsSave() async throws {
        try await container.performBackgroundTask { context in
            let object = try insert(context)
            #expect(object.calls == ["insert"])
            try context.save()
            #expect(object.calls == ["insert", "willSave", "validateInsert", "didSave clean"])
        }
    }

    @Test func aHookAfterReadingUsesTheOtherObjectsOfTheFetch() async throws {
        let container = try await PersistentContainer(
            name: "curious",
            model: try Model(entities: "Curious: {attributes: {name: String}, relationships: {next: {to: Curious?}}}"),
            classes: [CuriousObject.self],
            store: .memory
        )
        try await container.save { context in
            let all = try (0..<150).map { _ in try context.insert(CuriousObject.self) }
            for (index, object) in all.enumerated() {
                object.name = "\(index)"
                object[CuriousObject.next] = all[(index + 70) % 150]
            }
        }
        try await container.performBackgroundTask { context in
            let ids = try context.fetchIDs(FetchRequest("Curious"))
            let last = try context.existingObject(with: try #require(ids.last), as: CuriousObject.self)
            let all = try context.fetch(CuriousObject.self)
            #expect(all.map(\.objectID) == ids && all.last === last)
            for object in all {
                #expect(context.registeredObject(for: object.objectID) === object && object.calls == 1)
                let seen = try #require(object.seen)
                #expect(all.contains { $0 === seen } && Int(seen.name) == Int(object.name).map { ($0 + 70) % 150 })
            }
        }
    }

    @Test func aHookThatChangesTheObjectIsCalledAgainBeforeTheValidation() async throws {
        try await container.performBackgroundTask { context in
            let object = try insertAndSave(context)
            object.calls = []
            object.raise = 7
            object.name = "Bea"
            try context.save()
            #expect(object.calls == ["willSave", "willSave", "validateUpdate", "didSave clean"])
            #expect(object.salary == 7 && !context.hasChanges)
        }
    }

    @Test func whatAHookDeletesIsNotifiedOfTheSaveWithItsOthers() async throws {
        try await container.performBackgroundTask { context in
            let object = try insert(context)
            let badge = try context.insert(HookedBadge.self)
            object.badge = badge
            try context.save()
            badge.calls = []
            (object.name, object.leaves) = ("Bea", true)
            try context.save()
            #expect(badge.calls == ["prepare clean", "willSave", "didSave gone"])
        }
    }

    @Test func allObjectsAreNotifiedBeforeTheSaveAndAllAfterIt() async throws {
        try await container.performBackgroundTask { context in
            let objects = try (0..<3).map { _ in try insert(context) }
            var order: [String] = []
            context.onWillSave = { _ in order.append("context will") }
            context.onDidSave = { _, _ in
                order.append("context did")
                #expect(objects.allSatisfy { $0.calls.last == "didSave clean" })
            }
            try context.save()
            #expect(order == ["context will", "context did"])
        }
    }

    @Test func aSaveThatFailsIsNotFollowedByDidSave() async throws {
        try await container.performBackgroundTask { context in
            let object = try context.insert(HookedObject.self)
            #expect(throws: ValidationError.self) { try context.save() }
            #expect(object.calls == ["insert", "willSave", "validateInsert"])
        }
    }

    @Test func bothEndsOfALinkAreNotified() async throws {
        try await container.performBackgroundTask { context in
            let object = try insert(context)
            let badge = try context.insert(HookedBadge.self)
            try context.save()
            object.calls = []
            // The register of the one-to-one is the badge's; the object has a change all the same.
            object.badge = badge
            try context.save()
            let calls = object.calls.filter { $0.hasPrefix("willSave") || $0.hasPrefix("didSave") }
            #expect(calls == ["willSave", "didSave clean"])
            #expect(badge.calls.suffix(2) == ["willSave", "didSave clean"])
        }
    }

    @Test func aDeletedObjectIsPreparedWithItsRelationshipsInPlace() async throws {
        try await container.performBackgroundTask { context in
            let object = try insert(context)
            let badge = try context.insert(HookedBadge.self)
            object.badge = badge
            try context.save()
            (object.calls, badge.calls) = ([], [])
            context.delete(object)
            #expect(object.calls == ["prepare clean"] && object.badgeSeen)
            #expect(badge.calls == [])
            context.processPendingChanges()
            #expect(badge.calls == ["prepare clean"])
            try context.save()
            #expect(object.calls == ["prepare clean", "willSave", "validateDelete", "didSave gone"])
            #expect(badge.calls == ["prepare clean", "willSave", "didSave gone"])
            context.delete(object)
            #expect(object.calls.count == 4)
        }
    }

    @Test func aFaultIsAwokenEachTimeItsRowIsRead() async throws {
        let id = try await container.save { try insert($0).objectID }
        try await container.performBackgroundTask { context in
            let object = try #require(context.object(with: id, as: HookedObject.self))
            // The entity has a sub-entity, so the row is read at once.
            #expect(object.calls == ["fetch"])
            context.refresh(object, mergeChanges: false)
            #expect(object.calls == ["fetch", "willFault Ann", "didFault true"])
            #expect(object.name == "Ann")
            #expect(object.calls.last == "fetch")
            context.refresh(object, mergeChanges: false)
            object.calls = []
            context.refresh(object, mergeChanges: false)
            #expect(object.calls == [], "a fault does not become one")
        }
    }

    @Test func droppedValuesAreStillReadableWhenAFaultIsAboutToBeMade() async throws {
        try await container.performBackgroundTask { context in
            let object = try insertAndSave(context)
            object.name = "Bea"
            object.calls = []
            context.refresh(object, mergeChanges: false)
            #expect(object.calls == ["willFault Bea", "didFault true"] && object.name == "Ann")
            #expect(!context.hasChanges)
        }
    }

    @Test func aRollbackTellsTheObjectsThatWereChanged() async throws {
        try await container.performBackgroundTask { context in
            let (object, other) = (try insert(context), try insert(context))
            try context.save()
            (object.calls, other.calls) = ([], [])
            object.salary = 3
            context.rollback()
            #expect(object.calls == ["awake \(SnapshotEvents.rollback.rawValue)"] && object.salary == nil)
            #expect(other.calls == [])
        }
    }

    @Test func aRefreshTellsTheObjectThatThereIsSomethingNew() async throws {
        let background = container.newBackgroundContext()
        let id = try await background.perform { context in
            let object = try insertAndSave(context)
            context.retainsRegisteredObjects = true
            object.calls = []
            return object.objectID
        }
        try await container.save { $0.object(with: id, as: HookedObject.self)?.salary = 9 }
        try await background.perform { context in
            let object = try #require(context.object(with: id, as: HookedObject.self))
            context.refresh(object, mergeChanges: true)
            #expect(object.calls == ["awake \(SnapshotEvents.refresh.rawValue)"] && object.salary == 9)
            context.refresh(object, mergeChanges: true)
            #expect(object.calls.count == 1)
        }
    }

    @Test func undoAndRedoTellTheObjectsThatTheyChange() async throws {
        let background = container.newBackgroundContext()
        try await background.perform { context in
            context.undoStack = UndoStack()
            let object = try insertAndSave(context)
            context.undoStack?.removeAllActions()
            object.calls = []
            object.salary = 3
            context.undo()
            #expect(object.calls == ["awake \(SnapshotEvents.undoUpdate.rawValue)"] && object.salary == nil)
            context.redo()
            #expect(object.calls.count == 2 && object.salary == 3)
            context.undo()
            object.calls = []
            context.delete(object)
            context.undo()
            #expect(object.calls == ["prepare clean", "awake \(SnapshotEvents.undoDeletion.rawValue)"])
        }
    }

    @Test func aMergePolicyTellsTheObjectThatItHasOtherValues() async throws {
        let background = container.newBackgroundContext(mergePolicy: .rollback)
        let id = try await background.perform { context in
            let object = try insertAndSave(context)
            context.retainsRegisteredObjects = true
            object.salary = 1
            object.calls = []
            return object.objectID
        }
        try await container.save { $0.object(with: id, as: HookedObject.self)?.salary = 9 }
        try await background.perform { context in
            let object = try #require(context.object(with: id, as: HookedObject.self))
            try context.save()
            #expect(object.salary == 9)
            #expect(
                object.calls == [
                    "willSave", "validateUpdate", "awake \(SnapshotEvents.mergePolicy.rawValue)", "didSave clean",
                ]
            )
        }
    }

    @Test func objectsOfAChildAndOfItsParentAreNotifiedOfTheirOwnSaves() async throws {
        try await container.performBackgroundTask { context in
            let child = context.newChild()
            let object = try insert(child)
            try child.save()
            #expect(object.calls == ["insert", "willSave", "validateInsert", "didSave clean"])
            let above = try #require(context.object(with: object.objectID, as: HookedObject.self))
            #expect(above.calls == [])
            try context.save()
            #expect(above.calls == ["willSave", "validateInsert", "didSave clean"])
        }
    }
}

/// An object that reads another one as soon as it is read.
final class CuriousObject: ManagedObject, FieldAccess {
    override class var entityName: String { "Curious" }
    static let name = Field<String>("name")
    static let next = ToOne<CuriousObject>("next")

    var calls = 0
    var seen: CuriousObject?

    override func awakeFromFetch() {
        calls += 1
        guard let next = self[CuriousObject.next], !next.name.isEmpty else { return }
        seen = next
    }
}

/// An employee that writes down which of its hooks were called, in order.
final class HookedObject: ManagedObject, FieldAccess {
    override class var entityName: String { "Employee" }
    static let name = Field<String>("name")
    static let salary = Field<Double?>("salary")
    static let badge = ToOne<HookedBadge>("badge")

    var calls: [String] = []
    var raise: Double?
    var leaves = false
    var badgeSeen = false

    override func awakeFromInsert() { calls.append("insert") }
    override func awakeFromFetch() { calls.append("fetch") }
    override func awake(from events: SnapshotEvents) { calls.append("awake \(events.rawValue)") }
    override func willTurnIntoFault() { calls.append("willFault \(self.name)") }
    override func didTurnIntoFault() { calls.append("didFault \(isFault)") }
    override func willSave() {
        calls.append("willSave")
        if let raise {
            self.salary = raise
            self.raise = nil
        }
        if leaves, !isDeleted { managedObjectContext?.delete(self) }
    }
    override func didSave() { calls.append("didSave \(state)") }
    override func prepareForDeletion() {
        calls.append("prepare \(state)")
        badgeSeen = self.badge != nil
    }
    override func validateForInsert() throws { calls.append("validateInsert") }
    override func validateForUpdate() throws { calls.append("validateUpdate") }
    override func validateForDelete() throws { calls.append("validateDelete") }
}
