import TestSupport
import Testing

@testable import Tributary

/// Each row of the table "Coming from Core Data" that states a behaviour holds.
@MainActor
struct ComingFromCoreDataTests {
    let fixture: LinkFixture
    var view: ManagedObjectContext { fixture.container.viewContext }

    init() async throws { fixture = try await LinkFixture("comingfrom") }

    private func ann() throws -> Employee { try view.existingObject(with: fixture.ann, as: Employee.self) }
    private func sales() throws -> Department {
        try view.existingObject(with: fixture.sales, as: Department.self)
    }

    // MARK: The first day

    @Test func aMergeSavesTheViewContext() async throws {
        fixture.container.setMergeOptions(.fixture)
        try ann().salary = 7
        #expect(view.hasChanges)
        let id = fixture.ann
        try await fixture.container.save { _ = try $0.insert(Project.self) }
        await fixture.container.mergePendingChanges()
        #expect(!view.hasChanges)
        let salary = await fixture.container.performBackgroundTask { $0.object(with: id, as: Employee.self)?.salary }
        #expect(salary == 7)
    }

    @Test func itsUndoStackIsThereFromTheStart() throws {
        #expect(view.undoStack != nil && view.newChild().undoStack == nil)
    }

    // MARK: Objects and their changes

    @Test func anEqualValueAndAnEqualSetChangeNothing() throws {
        let (ann, sales) = (try ann(), try sales())
        ann.department = sales
        ann.projects = [try #require(view.object(with: fixture.till, as: Project.self))]
        try view.save()
        ann.name = "Ann"
        ann.department = sales
        ann.projects = Array(ann.projects)
        sales.employees = [ann]
        try ann.setValue(.string("Ann"), forKey: "name")
        try ann.setObjects(ann.projects, forKey: "projects")
        #expect(!ann.hasChanges && !sales.hasChanges && !view.hasChanges)
        #expect(!ann.hasPersistentChangedValues && ann.changedValues().isEmpty)
        ann.name = "Bea"
        #expect(ann.hasPersistentChangedValues)
        ann.name = "Ann"
        #expect(ann.hasChanges && ann.isUpdated && !ann.hasPersistentChangedValues)
        ann.mood = "sad"
        #expect(!ann.hasPersistentChangedValues, "a transient value is not persistent")
        #expect(try view.insert(Project.self).hasPersistentChangedValues)
    }

    @Test func theOwnersOfLinkedObjectsAreUpdated() throws {
        let (ann, sales) = (try ann(), try sales())
        let other = try view.insert(Department.self)
        try view.save()
        ann.department = sales
        #expect(view.updatedObjects == [ann, sales])
        #expect(sales.isUpdated && sales.hasChanges && sales.hasPersistentChangedValues && !other.hasChanges)
        #expect(sales.changedValues().isEmpty)
        #expect(sales.changedObjectIDs() == ["employees": [fixture.ann]])
        try view.save()
        #expect(!sales.hasChanges && view.updatedObjects.isEmpty && sales.changedObjectIDs().isEmpty)
        ann.department = other
        #expect(Set(view.updatedObjects) == [ann, sales, other])
        #expect(sales.changedObjectIDs() == ["employees": []])
        ann.department = sales
        #expect(view.updatedObjects == [ann], "the links are as they were")
        try view.save()
        view.delete(ann)
        view.processPendingChanges()
        #expect(view.updatedObjects == [sales] && view.deletedObjects == [ann])
        view.rollback()
        #expect(view.updatedObjects.isEmpty && !view.hasChanges && !sales.hasChanges)
    }

    @Test func pairsAreChangesOfBothEnds() throws {
        let ann = try ann()
        let project = try view.existingObject(with: fixture.till, as: Project.self)
        ann.add(project, to: Employee.projects)
        #expect(Set(view.updatedObjects) == [ann, project])
        #expect(ann.changedObjectIDs() == ["projects": [fixture.till]])
        #expect(project.changedObjectIDs() == ["members": [fixture.ann]])
        view.undo()
        #expect(view.updatedObjects.isEmpty && !view.hasChanges)
    }

    @Test func theHooksOfOwnersAreCalledAlsoWhenNobodyHoldsThem() async throws {
        let container = try await HookedTeam.open()
        let background = container.newBackgroundContext()
        let (team, member) = try await background.save { context in
            let (team, member) = (try context.insert(HookedTeam.self), try context.insert(HookedMember.self))
            member.team = team
            return (team.objectID, member.objectID)
        }
        try await background.perform { context in
            HookedTeam.calls = []
            let member = try #require(context.object(with: member, as: HookedMember.self))
            member.team = nil
            try context.save()
            #expect(HookedTeam.calls == ["willSave", "validateForUpdate", "didSave"])
            HookedTeam.calls = []
            member[idOf: HookedMember.team] = team
            try context.save()
            #expect(HookedTeam.calls == ["willSave", "validateForUpdate", "didSave"])
            let child = context.newChild()
            HookedTeam.calls = []
            try #require(child.object(with: member.objectID, as: HookedMember.self)).team = nil
            try child.save()
            #expect(HookedTeam.calls == ["willSave", "validateForUpdate", "didSave"])
            context.rollback()
        }
        // The save includes changes that the hook makes to its own object.
        let size = try await background.perform { context in
            HookedTeam.countsMembers = true
            defer { HookedTeam.countsMembers = false }
            let new = try context.insert(HookedMember.self)
            new[idOf: HookedMember.team] = team
            try context.save()
            context.reset()
            return try #require(context.object(with: team, as: HookedTeam.self)).size
        }
        #expect(size == 2)
        try await container.close()
    }

    @Test func aDeletedObjectSaysSoAndKeepsItsContext() async throws {
        let (ann, sales) = (try ann(), try sales())
        view.delete(ann)
        #expect(ann.isDeleted && ann.hasChanges && view.deletedObjects == [ann])
        #expect(throws: ContextError.notFound(fixture.ann)) { try view.existingObject(with: fixture.ann) }
        try view.save()
        #expect(ann.isDeleted && !ann.hasChanges && ann.state == .gone && ann.managedObjectContext === view)
        let id = fixture.sales
        try await fixture.container.save { $0.delete($0.object(with: id)) }
        #expect(!sales.isDeleted)
        await fixture.container.mergePendingChanges()
        #expect(sales.isDeleted && sales.state == .gone && !view.hasChanges && view.deletedObjects.isEmpty)
        #expect(throws: ContextError.notFound(id)) { try view.existingObject(with: id) }
        #expect(view.registeredObject(for: id) == nil)
        let project = try view.existingObject(with: fixture.till)
        view.reset()
        #expect(project.managedObjectContext == nil && sales.managedObjectContext === view)
    }

    @Test func anObjectThatIsNotMergedYetIsNotDeleted() async throws {
        let id = try await fixture.container.save { try $0.insert(Project.self).objectID }
        let project = view.object(with: id)
        #expect(throws: ContextError.self) { try project.load() }
        #expect(project.state == .gone && !project.isDeleted)
    }

    @Test func aTransientChangeAloneIsNoChange() throws {
        let ann = try ann()
        ann.mood = "sad"
        #expect(ann.mood == "sad" && !ann.hasChanges && !view.hasChanges && view.updatedObjects.isEmpty)
        view.undo()
        #expect(ann.mood == nil)
    }

    @Test func theValueForAKeyIsTheAttributesNotThatOfAComputedProperty() async throws {
        let container = try await Loud.open()
        try await container.performBackgroundTask { context in
            let note = try context.insert(Loud.self)
            try note.setValue(.string("a"), forKey: "name")
            #expect(note.name == "A!")
            #expect(try note.value(forKey: "name") == .string("a"))
        }
    }

    @Test func aDeletionIsPreparedOnce() async throws {
        let container = try await Loud.open()
        try await container.performBackgroundTask { context in
            let note = try context.insert(Loud.self)
            try context.save()
            context.undoStack = UndoStack()
            for _ in 0..<2 { context.delete(note) }
            try context.save()
            #expect(note.preparations == 1)
        }
    }

    @Test func aMandatoryDerivedAttributeMayLackAValue() async throws {
        let container = try await Loud.open()
        try await container.performBackgroundTask { context in
            let note = try context.insert(Loud.self)
            try note.validateForInsert()
            try context.save()
            #expect(try note.value(forKey: "key") == .null)
            try note.setValue(.string("Ä"), forKey: "name")
            try context.save()
            #expect(try note.value(forKey: "key") == .string("a"))
        }
    }

    @Test func aMergeRegistersNoInsertedObjectAndUnregistersADeletedOne() async throws {
        let ann = try ann()
        let inserted = try await fixture.container.save { context in
            let project = try context.insert(Project.self)
            context.delete(context.object(with: fixture.ann))
            return project.objectID
        }
        await fixture.container.mergePendingChanges()
        #expect(view.registeredObject(for: inserted) == nil)
        #expect(try view.existingObject(with: inserted).objectID == inserted)
        #expect(!view.registeredObjects.contains(ann) && ann.state == .gone)
    }

    // MARK: Fetching

    @Test func sectionsByATransientAttributeAreRefused() {
        let error = #expect(throws: ObjectPredicateError.self) {
            try FetchedResultsController<Employee>(FetchRequest("Employee"), context: view, sectionKeyPath: "mood")
        }
        #expect(error.map { "\($0)".contains("'mood' is transient") } == true)
    }

    @Test func fetchedObjectsHaveTheirValuesUnlessTheRequestSaysOtherwise() async throws {
        let faults = try await fixture.container.performBackgroundTask { context in
            var request = FetchRequest("Employee")
            let isFault = try context.fetch(request).map(\.isFault)
            context.reset()
            request.returnsObjectsAsFaults = true
            let isFaultThen = try context.fetch(request).map(\.isFault)
            context.reset()
            request.returnsObjectsAsFaults = false
            request.includesPropertyValues = false
            return isFault + isFaultThen + (try context.fetch(request).map(\.isFault))
        }
        #expect(faults == [false, true, true])
    }

    @Test func theLimitCountsAfterUnsavedChanges() throws {
        try view.hire("Aaron")
        var request = FetchRequest("Employee", sortKeys: [SortKey("name")])
        request.fetchLimit = 1
        #expect(try view.fetch(request, as: Employee.self).map(\.name) == ["Aaron"])
        request.fetchLimit = 0
        #expect(try view.fetch(request).isEmpty)
        request.includesPendingChanges = false
        request.fetchLimit = nil
        #expect(try view.fetch(request, as: Employee.self).map(\.name) == ["Ann"])
    }

    // MARK: Contexts

    @Test func theDefaultPoliciesAndTheOneWhoMerges() async throws {
        #expect(view.mergePolicy == .objectTrump && view.isPinned && view.automaticallyMergesChangesFromParent)
        await fixture.container.newBackgroundContext().perform { context in
            #expect(context.mergePolicy == .error && !context.isPinned)
            #expect(!context.automaticallyMergesChangesFromParent)
        }
    }
}

/// A note whose Swift properties show something else than its attributes.
private final class Loud: ManagedObject {
    override class var entityName: String { "Note" }
    var name: String {
        guard case .string(let text)? = try? value(forKey: "name") else { return "" }
        return text.uppercased() + "!"
    }
    private(set) var preparations = 0
    override func prepareForDeletion() { preparations += 1 }

    static func open() async throws -> PersistentContainer {
        let model = try Model(
            entities: """
                Note: {attributes: {name: String?, key: {type: String, optional: false, derived: 'canonical:(name)'}}}
                """
        )
        return try await PersistentContainer(name: "notes", model: model, classes: [Loud.self], store: .memory)
    }
}
