import TestSupport
import Testing
import TributaryStore

@testable import Tributary

/// Faults whose rows are gone, are not merged yet, or cannot be read: getters never trap.
@MainActor
struct FaultTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws { (folder, container) = try await Company.open() }

    private func insert(_ name: String) async throws -> (ManagedObjectID, HistoryToken) {
        try await container.performBackgroundTask { context in
            let employee = try context.hire(name)
            employee.age = 50
            try context.save()
            return (employee.objectID, try #require(context.lastSaveToken))
        }
    }

    @Test func anIDThatIsNotMergedYetSaysInWhichTransactionItIs() async throws {
        let view = container.viewContext
        let (id, token) = try await insert("Ann")
        #expect(throws: ContextError.notYetMerged(id, transaction: token)) { try view.existingObject(with: id) }
        // The fault reads as the model's defaults until then, and says why.
        let early = try #require(view.object(with: id) as? Employee)
        #expect(early.age == 30 && early.name == "")
        #expect(early.faultError == .notYetMerged(id, transaction: token))
        #expect(throws: ContextError.notYetMerged(id, transaction: token)) { try early.load() }
        await container.mergePendingChanges(through: token)
        #expect(try (view.existingObject(with: id) as? Employee)?.name == "Ann")
        await container.mergePendingChanges(through: token)
        #expect(container.mainGeneration.number == token.number, "nothing moves for what is there already")
    }

    @Test func aFaultWithoutARowReadsAsTheDefaultsAndTellsOnce() async throws {
        let (id, token) = try await insert("Ann")
        await container.mergePendingChanges(through: token)
        try await container.delete(id)
        try await container.newBackgroundContext().perform { context in
            var told: [ContextError] = []
            context.onInaccessibleFault = { object, error in
                #expect(object.objectID == id)
                told.append(error)
            }
            let gone = try #require(context.object(with: id) as? Employee)
            #expect(gone.isFault && gone.faultError == nil)
            #expect(gone.name == "" && gone.age == 30 && gone.department == nil && gone.projects.isEmpty)
            #expect(gone.state == .gone && gone.faultError == .notFound(id))
            #expect(told == [.notFound(id)], "once for an object")
            #expect(throws: ContextError.notFound(id)) { try gone.load() }
            gone.name = "written to nobody"
            #expect(gone.name == "" && !context.hasChanges)
            #expect(throws: ValidationError.self) { try context.save() }
        }
    }

    @Test func anObjectWhoseRowWentKeepsTheValuesLastLoaded() async throws {
        let (id, _) = try await insert("Ann")
        try await container.newBackgroundContext().perform { context in
            let ann = try context.existingObject(with: id, as: Employee.self)
            // Another context deletes it; this one has not merged.
            container.newBackgroundContext().performAndWait { other in
                other.delete(other.object(with: id))
                try? other.save()
            }
            #expect(ann.name == "Ann" && ann.state == .clean)
            context.refresh(ann, mergeChanges: true)
            #expect(ann.name == "Ann" && ann.age == 50 && ann.state == .gone)
            #expect(throws: ContextError.notFound(id)) { try context.existingObject(with: id) }
        }
    }

    @Test func anErrorOfTheStoreWhileReadingIsThrownByTheNextSave() async throws {
        let id = try await container.save { try $0.department("Ships").objectID }
        let background = container.newBackgroundContext()
        try await background.perform { context in
            var told = 0
            context.onInaccessibleFault = { _, _ in told += 1 }
            let fault = try #require(context.object(with: id) as? Department)
            try context.hire("Bob")
            try container.store.close()
            #expect(fault.title == nil, "the default")
            #expect(fault.faultError != nil && fault.state == .clean && told == 1)
            _ = fault.title
            #expect(told == 1)
            #expect(throws: ContextError.self) { try fault.load() }
            #expect(throws: ContextError.self) { try context.save() }
            #expect(context.hasChanges, "the changes stay")
        }
    }

    @Test func aMergedDeletionTellsWhatWasDiscarded() async throws {
        let (id, token) = try await insert("Ann")
        await container.mergePendingChanges(through: token)
        let view = container.viewContext
        container.setMergeOptions(.unsaved)
        let ann = try view.existingObject(with: id, as: Employee.self)
        var notices: [ObjectsDidChange] = []
        view.observeChanges { notices.append($0) }
        ann.salary = 5
        try await container.delete(id)
        await container.mergePendingChanges()
        #expect(ann.state == .gone && ann.objectID == id && ann.name == "Ann" && ann.salary == 5)
        let told = notices.filter { $0.deleted.contains(id) }
        #expect(told.count == 1)
        #expect(notices.flatMap(\.discarded).map(\.id) == [id])
        #expect(notices.flatMap(\.discarded).first?["salary"] == .double(5))
        #expect(!view.hasChanges)
        try view.save()
    }

    @Test func underThePolicyErrorAMergedDeletionOfAChangedObjectIsAConflict() async throws {
        let (id, _) = try await insert("Ann")
        let background = container.newBackgroundContext(mergePolicy: .error)
        try await background.save { context in
            let ann = try context.existingObject(with: id, as: Employee.self)
            ann.salary = 5
            var changes = ObjectChanges()
            changes.delete(id)
            container.newBackgroundContext().performAndWait { other in
                other.delete(other.object(with: id))
                try? other.save()
            }
            context.mergeChanges(changes)
            let error = #expect(throws: ConflictError.self) { try context.save() }
            #expect(error?.conflicts.map(\.objectID) == [id])
            #expect(error?.conflicts.first?.stored == nil, "nothing is stored any more")
            #expect(error?.conflicts.first?.cached["name"] == .string("Ann"))
            #expect(error?.conflicts.first?.changedProperties == ["salary"])
            context.rollback()
        }
    }

    @Test func aSaveThatWritesNothingKeepsTheObject() async throws {
        let id = try await container.save { try $0.hire("Ann").objectID }
        try await container.performBackgroundTask { context in
            let ann = try #require(try context.existingObject(with: id) as? Employee)
            ann.mood = "good"
            try ann.setValue(.integer(1), forKey: "visits")
            try ann.setValue(.integer(0), forKey: "visits")
            #expect(ann.changedValues().isEmpty, "a counter that is changed back has no change")
            try context.save()
            #expect(!ann.isFault && ann.mood == "good" && !context.hasChanges)
        }
    }
}
