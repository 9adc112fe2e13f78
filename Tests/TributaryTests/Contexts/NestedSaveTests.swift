import Foundation
import TestSupport
import Testing
import TributaryStore

@testable import Tributary

/// Saves, batches and pins are refused in code that runs inside a write.
struct NestedSaveTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws { (folder, container) = try await Company.open() }

    /// A context with an object that is in conflict with what another context has saved.
    private func inConflict(
        _ body: @escaping @Sendable (ManagedObjectContext, Employee) throws -> Void
    ) async throws {
        let (background, id) = try await Company.conflict(in: container, name: "import")
        try await background.perform { context in
            context.mergePolicy = .objectTrump
            try body(context, try #require(context.object(with: id) as? Employee))
        }
    }

    /// The error of an attempt inside `resolveConflict`; the save around it must succeed.
    private func error(
        inOneTransaction: Bool = false,
        of attempt: @escaping @Sendable (ManagedObjectContext, PersistentContainer) throws -> Void
    ) async throws -> ContextError? {
        let box = Box()
        let container = container
        try await inConflict { context, employee in
            context.resolveConflict = { _, _ in
                do { try attempt(context, container) } catch { box.error = error as? ContextError }
                return .objectTrump
            }
            if inOneTransaction {
                try context.performInOneTransaction { try context.save() }
            } else {
                try context.save()
            }
            #expect(!context.hasChanges && employee.name == "Here")
        }
        let names = try await container.performBackgroundTask { try $0.fetch(Employee.self).map(\.name) }
        #expect(names == ["Here"])
        return box.error
    }

    private final class Box: @unchecked Sendable {
        // Written in one body, read when that has ended.
        var error: ContextError?
    }

    @Test func aSaveInsideAResolverSaysWhichSaveItIsIn() async throws {
        let error = try await error { context, _ in try context.save() }
        #expect(error == .saveInProgress(by: "the context 'import'"))
        #expect(error?.description.contains("the context 'import' is writing to the store on this thread") == true)
    }

    @Test func anErrorOfTheInnerSaveEndsTheOuterOne() async throws {
        try await inConflict { context, employee in
            context.resolveConflict = { _, _ in
                try context.save()
                return nil
            }
            #expect(throws: ContextError.saveInProgress(by: "the context 'import'")) { try context.save() }
            #expect(context.updatedObjects == [employee])
            context.resolveConflict = nil
            try context.save()
        }
    }

    @Test func aSaveInsideAResolverOfASaveThatIsAPartOfATransaction() async throws {
        let error = try await error(inOneTransaction: true) { context, _ in try context.save() }
        #expect(error == .saveInProgress(by: "the context 'import'"))
    }

    @Test func anotherContextInsideAResolver() async throws {
        let error = try await error { _, container in
            try container.newBackgroundContext(name: "other").performAndWait { _ = try $0.hireAndSave("Bob") }
        }
        #expect(error == .saveInProgress(by: "the context 'import'"))
    }

    @Test func aBatchInsideAResolver() async throws {
        let batch = try await error { context, _ in
            try context.execute(BatchUpdateRequest("Employee", setting: ["age": .value(.integer(1))]))
        }
        #expect(batch == .saveInProgress(by: "the context 'import'"))
    }

    @Test func aPinInsideAResolver() async throws {
        #expect(try await error { context, _ in try context.pin() } == .saveInProgress(by: "the context 'import'"))
    }

    @Test func aSaveInsideTheHandlerOfABatch() async throws {
        try await container.newBackgroundContext(name: "load").perform { context in
            #expect(throws: ContextError.saveInProgress(by: "the context 'load'")) {
                try context.execute(BatchInsertRequest("Employee", rows: [])) { _ in
                    try context.hireAndSave("Ann")
                    return true
                }
            }
            #expect(context.insertedObjects.count == 1)
            try context.save()
        }
    }

    @Test func anotherContextInsideATransaction() async throws {
        let background = container.newBackgroundContext(name: "load")
        let other = container.newBackgroundContext(name: "other")
        try await container.coordinator.perform(on: background) { _ in
            other.performAndWait { other in
                _ = try? other.insert(Employee.self)
                #expect(throws: ValidationError.self) { try other.save() }
                (other.insertedObjects.first as? Employee)?.name = "Ann"
                #expect(throws: ContextError.saveInProgress(by: "the context 'load'")) { try other.save() }
            }
        }
        try await other.perform { try $0.save() }
    }

    @Test @MainActor func theViewContextIsNamed() async throws {
        let view = container.viewContext
        try container.coordinator.perform { _ in
            container.newBackgroundContext().performAndWait { other in
                (try? other.insert(Employee.self))?.name = "Ann"
                #expect(throws: ContextError.saveInProgress(by: "the view context")) { try other.save() }
            }
        }
        #expect(!view.hasChanges)
    }

    @Test func takingBackWhatIsBeingSavedEndsTheSave() async throws {
        for attempt in [0, 1, 2] {
            try await inConflict { context, employee in
                context.resolveConflict = { object, _ in
                    switch attempt {
                    case 0: context.rollback()
                    case 1: context.reset()
                    default: context.refresh(object, mergeChanges: false)
                    }
                    return .objectTrump
                }
                #expect(throws: ContextError.self) { try context.save() }
                context.resolveConflict = nil
                #expect(!context.hasChanges)
                let now = try context.existingObject(with: employee.objectID, as: Employee.self)
                // A rollback leads back to what the context has read, the others to what is in the store.
                #expect(now.name == (attempt == 0 ? "Ann" : "There"))
                context.delete(now)
                try context.save()
            }
        }
    }

    private final class NamedEmployee: ManagedObject {
        override class var entityName: String { "Employee" }
        static let name = Field<String>("name")
    }

    /// Saves its context when a merge policy has given it other values.
    private final class SavingBadge: ManagedObject {
        override class var entityName: String { "Badge" }
        static let number = Field<Int64?>("number")

        override func awake(from events: SnapshotEvents) {
            if events.contains(.mergePolicy) { #expect(throws: Never.self) { try managedObjectContext?.save() } }
        }
    }

    @Test func aHookOfAnOverwrittenObjectMaySave() async throws {
        let folder = try TemporaryFolder("nestedSave")
        let container = try await Company.open(folder, classes: [NamedEmployee.self, SavingBadge.self])
        let background = container.newBackgroundContext(mergePolicy: .rollback)
        let (badge, ann) = try await background.perform { context in
            let (badge, ann) = (try context.insert(SavingBadge.self), try context.insert(NamedEmployee.self))
            ann[NamedEmployee.name] = "Ann"
            try context.save()
            badge[SavingBadge.number] = 1
            ann[NamedEmployee.name] = "Bob"
            return (badge.objectID, ann.objectID)
        }
        try await container.save { (try $0.existingObject(with: badge) as? SavingBadge)?[SavingBadge.number] = 2 }
        try await background.save { context in
            try context.save()
            #expect(context.object(with: ann, as: NamedEmployee.self)?[NamedEmployee.name] == "Bob")
            #expect(context.object(with: badge, as: SavingBadge.self)?[SavingBadge.number] == 2)
            // The hook had nothing to save any more, so nothing is in conflict with the save that it was called from.
            context.object(with: ann, as: NamedEmployee.self)?[NamedEmployee.name] = "Cid"
            context.mergePolicy = .error
        }
        #expect(try container.committed.count == 4)
    }

    // MARK: A save that a hook of a save makes

    /// Saves once more from the hook, with a new object.
    private static func saveAgain(_ context: ManagedObjectContext) {
        var isFirst = true
        context.onDidSave = { context, _ in
            guard isFirst else { return }
            isFirst = false
            #expect(throws: Never.self) {
                try context.hireAndSave("Hook")
            }
        }
    }

    @Test @MainActor func theViewContextStaysAtTheGenerationOfTheLaterSave() async throws {
        let view = container.viewContext
        try await container.hire("Bob")
        Self.saveAgain(view)
        try view.hireAndSave("Ann")
        #expect(view.generation?.number == container.pipeline.generation.number)
        #expect(view.lastSaveToken?.number == view.generation?.number)
        #expect(try view.names() == ["Ann", "Bob", "Hook"])
    }

    @Test func aPinnedContextStaysAtTheGenerationOfTheLaterSave() async throws {
        let pinned = container.newBackgroundContext()
        try await pinned.perform { context in
            try context.pin()
            Self.saveAgain(context)
        }
        try await container.hire("Bob")
        try await pinned.perform { context in
            try context.hireAndSave("Ann")
            #expect(context.generation?.number == context.lastSaveToken?.number)
            #expect(try context.names() == ["Ann", "Bob", "Hook"])
        }
    }

    @Test @MainActor func anObserverThatSavesInTheMiddleOfAMergeDoesNotTakeTheContextBack() async throws {
        let view = container.viewContext
        let ann = try view.hireAndSave("Ann")
        view.processPendingChanges()
        try await container.hire("Bob")
        view.observeChanges { [weak view] _ in
            guard view?.hasChanges == true else { return }
            #expect(throws: Never.self) { try view?.save() }
        }
        ann.salary = 5
        await container.mergePendingChanges()
        #expect(!view.hasChanges)
        #expect(view.generation?.number == container.pipeline.generation.number)
        #expect(try view.names() == ["Ann", "Bob"])
    }
}
