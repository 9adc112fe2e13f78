import TestSupport
import Testing
import TributaryStore

@testable import Tributary

/// A child on the same actor as its parent: it reads the parent's state, and its saves go one level up.
@MainActor
struct ChildContextTests {
    let folder: TemporaryFolder
    let container: PersistentContainer
    var view: ManagedObjectContext { container.viewContext }

    init() async throws { (folder, container) = try await Company.open() }

    private func names(
        _ context: ManagedObjectContext,
        _ change: (inout FetchRequest<ManagedObject>) -> Void = { _ in }
    ) throws
        -> [String]
    {
        var request = FetchRequest("Employee", sortKeys: [SortKey("name")])
        change(&request)
        return try context.fetch(request, as: Employee.self).map(\.name)
    }

    // MARK: Saving

    @Test func aSaveMakesTheParentDirtyAndLeavesTheStoreAlone() throws {
        let child = view.newChild(name: "draft")
        #expect(child.parent === view && child.name == "draft")
        let ann = try child.hire("Ann")
        #expect(!view.hasChanges)
        try child.save()
        #expect(!child.hasChanges && ann.state == .clean && ann.name == "Ann")
        #expect(try view.hasChanges && names(view) == ["Ann"])
        #expect(try view.insertedObjects.map(\.objectID) == [ann.objectID] && container.storedEmployees == 0)
        try view.save()
        #expect(try container.store.read { try $0.row(ann.uniqueID, rootEntity: "Employee") } != nil)
    }

    @Test func anUpdateReplacesOnlyWhatTheChildHasChanged() throws {
        let (ann, child, copy) = try view.hireAboveChild(isSaved: true)
        copy.salary = 10
        ann.age = 40
        try child.save()
        #expect(ann.salary == 10 && ann.age == 40)
        #expect(Set(ann.changedValues().keys) == ["salary", "age"])
    }

    @Test func theChildWinsOverTheParentsUnsavedValue() throws {
        let (ann, child, copy) = try view.hireAboveChild(isSaved: true, mergePolicy: .error)
        copy.name = "Child"
        ann.name = "Parent"
        try child.save()
        #expect(ann.name == "Child" && copy.name == "Child")
    }

    @Test func theStoreIsNotAskedForConflictsBeforeTheParentSaves() async throws {
        let ann = try view.hireAndSave("Ann")
        view.mergePolicy = .error
        let id = ann.objectID
        let child = view.newChild(mergePolicy: .error)
        let copy = try #require(child.object(with: id, as: Employee.self))
        copy.name = "Child"
        try await container.change(id) { $0.salary = 1 }
        try child.save()
        #expect(throws: ConflictError.self) { try view.save() }
    }

    @Test func aDeletionGoesUpOneLevel() throws {
        let ann = try view.hireAndSave("Ann")
        let child = view.newChild()
        let copy = child.object(with: ann.objectID)
        child.delete(copy)
        #expect(ann.state == .clean)
        try child.save()
        #expect(ann.isDeleted && copy.state == .gone)
        #expect(try container.storedEmployees == 1)
        try view.save()
        #expect(try container.storedEmployees == 0)
    }

    @Test func theChildUndoesNothingOfWhatTheParentDeletes() throws {
        let (ann, child, copy) = try view.hireAboveChild(isSaved: true)
        let project = try child.insert(Project.self)
        try child.save()
        child.undoStack = UndoStack()
        copy.name = "Child"
        project.members = [copy]
        child.processPendingChanges()
        view.delete(ann)
        child.processPendingChanges()
        #expect(copy.state == .gone && !child.hasChanges && child.undoStack?.canUndo == false)
    }

    @Test func anObjectThatTheParentHasNotSavedIsDeletedWithoutATrace() throws {
        let ann = try view.hire("Ann")
        let child = view.newChild()
        child.delete(child.object(with: ann.objectID))
        try child.save()
        #expect(!view.hasChanges)
    }

    @Test func validationRunsAtTheChildsSave() throws {
        let child = view.newChild()
        _ = try child.insert(Employee.self)
        #expect(throws: ValidationError.self) { try child.save() }
        #expect(child.hasChanges && !view.hasChanges)
    }

    @Test func aSaveWithoutChangesDoesNothing() throws {
        let child = view.newChild()
        try child.save()
        #expect(!view.hasChanges && child.lastSaveToken == nil)
    }

    @Test func aSaveTellsTheParentsObservers() throws {
        let child = view.newChild()
        let ann = try child.hire("Ann")
        var notices: [ObjectsDidChange] = []
        view.observeChanges { notices.append($0) }
        try child.save()
        #expect(notices.map(\.inserted) == [[ann.objectID]])
    }

    @Test func transientValuesGoUpWithTheObject() throws {
        let child = view.newChild()
        let ann = try child.hire("Ann")
        ann.mood = "good"
        try child.save()
        #expect(view.object(with: ann.objectID, as: Employee.self)?.mood == "good")
    }

    @Test func theSaveAfterASaveSendsOnlyWhatIsNew() throws {
        let child = view.newChild()
        let ann = try child.hireAndSave("Ann")
        let parents = try #require(view.object(with: ann.objectID, as: Employee.self))
        parents.name = "Parent"
        ann.salary = 5
        try child.save()
        #expect(parents.name == "Parent" && parents.salary == 5)
    }

    // MARK: Deleted above

    @Test(arguments: [false, true])
    func `a change to an object that the parent has deleted is lost, and both contexts list it`(isMerged: Bool) throws {
        let (ann, child, copy) = try view.hireAboveChild(isSaved: true)
        copy.name = "Late"
        var discarded: [[ObjectSnapshot]] = [[], []]
        child.observeChanges { discarded[0] += $0.discarded }
        view.observeChanges { discarded[1] += $0.discarded }
        view.delete(ann)
        if isMerged { child.processPendingChanges() }
        try child.save()
        child.processPendingChanges()
        view.processPendingChanges()
        for list in discarded {
            #expect(list.map(\.id) == [ann.objectID] && list.first?["name"] == .string("Late"))
        }
        #expect(copy.state == .gone && ann.isDeleted)
    }

    @Test(arguments: [false, true])
    func `under the policy error it is a conflict, and the parent takes nothing`(isMerged: Bool) throws {
        let (ann, child, copy) = try view.hireAboveChild(isSaved: true, mergePolicy: .error)
        copy.name = "Late"
        let bob = try child.hire("Bob")
        view.delete(ann)
        if isMerged { child.processPendingChanges() }
        for _ in 0..<2 {
            let error = #expect(throws: ConflictError.self) { try child.save() }
            #expect(error?.conflicts.map(\.objectID) == [ann.objectID])
            #expect(error?.conflicts.first?.changedProperties == ["name"])
            #expect(view.insertedObjects.isEmpty && bob.isInserted && child.hasChanges)
        }
        child.rollback()
        try child.hire("Cid")
        try child.save()
        #expect(view.insertedObjects.count == 1)
    }

    @Test func `a conflict is found behind delete rules that the parent has not followed, and behind links`() throws {
        let (ann, child, copy) = try view.hireAboveChild(isSaved: true, mergePolicy: .error)
        let (badge, project) = (try view.insert(Badge.self), try view.insert(Project.self))
        badge.owner = ann
        try view.save()
        // Reading them keeps the child from merging in between.
        let (lower, list) = (
            try child.existingObject(with: badge.objectID, as: Badge.self),
            try child.existingObject(with: project.objectID, as: Project.self)
        )
        lower.number = 7
        list.members = [copy]
        view.delete(ann)
        let error = #expect(throws: ConflictError.self) { try child.save() }
        #expect(Set(error?.conflicts.map(\.objectID) ?? []) == [ann.objectID, badge.objectID])
    }

    @Test func anObjectThatTheParentHasDeletedIsNotFound() throws {
        let ann = try view.hireAndSave("Ann")
        view.delete(ann)
        let child = view.newChild()
        #expect(throws: ContextError.notFound(ann.objectID)) { try child.existingObject(with: ann.objectID) }
        #expect(try names(child) == [])
    }

    @Test func anObjectThatTheParentHasDeletedExistsAgainWhenTheChildInsertsIt() throws {
        let ann = try view.hireAndSave("Ann")
        view.delete(ann)
        let child = view.newChild()
        try child.insert(Employee.self, id: ann.uniqueID).name = "Again"
        try child.save()
        #expect(ann.state == .gone && view.object(with: ann.objectID, as: Employee.self)?.name == "Again")
        try view.save()
        #expect(try container.storedEmployees == 1)
    }

    // MARK: Reading

    @Test func aFetchFindsWhatTheParentHasInsertedChangedAndDeleted() throws {
        _ = try view.hire("Ann")
        let bob = try view.hire("Bob")
        let cid = try view.hireAndSave("Cid")
        bob.name = "Zoe"
        view.delete(cid)
        _ = try view.hire("Mia")
        let child = view.newChild()
        #expect(try names(child) == ["Ann", "Mia", "Zoe"])
        #expect(try names(child) { $0.predicate = try? ObjectPredicate(parsing: "name > 'B'") } == ["Mia", "Zoe"])
        #expect(try names(child) { $0.predicate = try? ObjectPredicate(parsing: "name = 'Bob'") } == [])
        #expect(try child.count(for: FetchRequest("Employee")) == 3)
        #expect(try child.fetchIDs(FetchRequest("Employee")).count == 3)
    }

    @Test func theParentsStateCountsAlsoWithoutTheChildsOwnChanges() throws {
        _ = try view.hire("Ann")
        let child = view.newChild()
        _ = try child.hire("Bob")
        #expect(try names(child) { $0.includesPendingChanges = false } == ["Ann"])
    }

    @Test func threeLevelsLieOverEachOther() throws {
        for name in ["Ann", "Bob", "Cid", "Dan"] { _ = try view.hire(name) }
        try view.save()
        let (first, second) = (view.newChild(), view.newChild())
        let deepest = first.newChild().newChild()
        #expect(deepest.parent?.parent === first)
        try #require(try view.fetch(Employee.self, predicate: ObjectPredicate(parsing: "name = 'Ann'")).first).name =
            "Ann1"
        first.delete(
            try #require(try first.fetch(Employee.self, predicate: ObjectPredicate(parsing: "name = 'Bob'")).first)
        )
        let middle = try #require(deepest.parent)
        try #require(try middle.fetch(Employee.self, predicate: ObjectPredicate(parsing: "name = 'Cid'")).first).name =
            "Cid1"
        _ = try deepest.hire("Eve")
        #expect(try names(deepest) == ["Ann1", "Cid1", "Dan", "Eve"])
        #expect(try names(middle) == ["Ann1", "Cid1", "Dan"])
        #expect(try names(first) == ["Ann1", "Cid", "Dan"])
        #expect(try names(second) == ["Ann1", "Bob", "Cid", "Dan"])
        try deepest.save()
        try middle.save()
        try first.save()
        #expect(try names(view) == ["Ann1", "Cid1", "Dan", "Eve"])
        try view.save()
        #expect(try names(second) == ["Ann1", "Cid1", "Dan", "Eve"])
    }

    @Test func limitAndOffsetCountWhatIsLaidOver() throws {
        for name in ["A", "C", "E", "G"] { _ = try view.hire(name) }
        try view.save()
        _ = try view.hire("B")
        let child = view.newChild()
        _ = try child.hire("D")
        #expect(
            try names(child) {
                $0.fetchOffset = 1
                $0.fetchLimit = 3
            } == ["B", "C", "D"]
        )
        #expect(
            try names(child) { $0.sortKeys = [SortKey("name", ascending: false)] } == ["G", "E", "D", "C", "B", "A"]
        )
    }

    @Test func anObjectInUseFollowsTheParent() throws {
        let (ann, child, copy) = try view.hireAboveChild()
        #expect(copy.name == "Ann")
        ann.name = "Bea"
        child.processPendingChanges()
        #expect(copy.name == "Bea" && copy.state == .clean)
    }

    @Test func aChangedObjectKeepsItsOwnValuesWhenTheParentMoves() throws {
        let (ann, child, copy) = try view.hireAboveChild()
        copy.salary = 3
        ann.name = "Bea"
        child.processPendingChanges()
        #expect(copy.name == "Bea" && copy.salary == 3 && copy.state == .updated)
    }

    @Test func aSaveOfOneChildShowsInItsSibling() throws {
        let ann = try view.hire("Ann")
        let (first, second) = (view.newChild(), view.newChild())
        let copy = try #require(second.object(with: ann.objectID, as: Employee.self))
        #expect(copy.name == "Ann")
        first.object(with: ann.objectID, as: Employee.self)?.name = "Bea"
        try first.save()
        var updated: Set<ManagedObjectID> = []
        second.observeChanges { updated.formUnion($0.updated) }
        #expect(try names(second) == ["Bea"])
        #expect(copy.name == "Bea" && updated == [ann.objectID])
    }

    @Test func aChildReadsAtItsParentsGeneration() async throws {
        _ = try view.hire("Ann")
        try view.save()
        let child = view.newChild()
        let id = try await container.hire("Bob")
        #expect(try names(child) == ["Ann"])
        do throws(ContextError) {
            _ = try child.existingObject(with: id)
            Issue.record("it is not merged yet")
        } catch {
            guard case .notYetMerged = error else { throw error }
        }
        await container.mergePendingChanges()
        #expect(try names(child) == ["Ann", "Bob"])
    }

    @Test func mergesOfTheParentReachTheChild() async throws {
        let ann = try view.hireAndSave("Ann")
        let id = ann.objectID
        let child = view.newChild()
        let copy = try #require(child.object(with: id, as: Employee.self))
        #expect(copy.name == "Ann")
        try await container.change(id) { $0.name = "Bea" }
        #expect(copy.name == "Ann")
        await container.mergePendingChanges()
        child.processPendingChanges()
        #expect(copy.name == "Bea")
    }

    @Test func anIDThatTheChildReceivesIsItsParentsObject() throws {
        let child = view.newChild()
        let ann = try child.hireAndSave("Ann")
        let grandchild = child.newChild()
        #expect(try grandchild.existingObject(with: ann.objectID).snapshot()["name"] == .string("Ann"))
    }

    @Test func theSaveOfAChildCanBeUndoneInTheParent() throws {
        let child = view.newChild()
        _ = try child.hire("Ann")
        try child.save()
        view.undo()
        #expect(!view.hasChanges)
        #expect(try names(view) == [])
    }

    // MARK: A parent that has ended, what a parent has not saved, the undo of the parent

    @Test func aSaveIntoAParentThatHasEndedFailsAndKeepsTheChanges() async throws {
        let child = view.newChild()
        let ann = try child.hire("Ann")
        try await container.close()
        #expect(throws: ContextError.closed) { try child.save() }
        #expect(child.hasChanges && ann.isInserted && ann.name == "Ann")
        child.reset()
    }

    @Test func anAsynchronousFetchOfAChildSeesWhatTheParentHasNotSaved() async throws {
        try view.hire("Ann")
        let child = view.newChild()
        let request = FetchRequest("Employee")
        #expect(try await child.fetchAsynchronously(request, as: Employee.self).map(\.name) == ["Ann"])
        try view.save()
        #expect(try await child.fetchAsynchronously(request, as: Employee.self).map(\.name) == ["Ann"])
        view.fetchedFirst?.name = "Bea"
        #expect(try await child.fetchAsynchronously(request, as: Employee.self).map(\.name) == ["Bea"])
    }

    @Test func anUpsertOfAChildFindsWhatTheParentHasNotSaved() async throws {
        let stored = try await container.hire("stored") { $0.code = "AB1" }
        await container.mergePendingChanges()
        let ann = try view.hire("Ann")
        ann.code = "AB2"
        let child = view.newChild()
        #expect(try child.upsert(Employee.self, by: ["code": .string("AB1")]).objectID == stored)
        #expect(try child.upsert(Employee.self, by: ["code": .string("AB2")]).objectID == ann.objectID)
        // The parent has changed the key: the store's row says nothing any more.
        (view.object(with: stored) as? Employee)?.code = "AB3"
        #expect(try child.upsert(Employee.self, by: ["code": .string("AB3")]).objectID == stored)
        let new = try child.upsert(Employee.self, by: ["code": .string("AB1")])
        #expect(new.isInserted && new.code == "AB1")
    }

    @Test func anUpsertThatFailsLeavesNothing() async throws {
        #expect(throws: ContextError.self) { try view.upsert(Employee.self, by: ["code": .integer(5)]) }
        view.processPendingChanges()
        #expect(!view.hasChanges)
    }

    @Test func readingFromAChildDoesNotEndTheParentsUndoGroup() async throws {
        let ann = try view.hireAndSave("Ann")
        view.processPendingChanges()
        let child = view.newChild()
        ann.salary = 1
        #expect(try child.fetch(Employee.self).count == 1)
        #expect(try view.upsert(Employee.self, by: ["name": .string("Ann")]) === ann)
        ann.age = 50
        view.undo()
        #expect(ann.salary == nil && ann.age == 30, "one group")
    }

    @Test func anOrderThatAChildHasSavedIsThereAtOnce() async throws {
        let store = try await OrderedModel.open(folder, "ordered")
        let list = try await store.save { context in
            let list = try context.insert(entity: "List")
            for name in ["a", "b", "c"] {
                try list.link(try OrderedModel.named(name, "Item", in: context), forKey: "items")
            }
            return list.objectID
        }
        await store.mergePendingChanges()
        let child = store.newChildOfViewContext()
        try await child.perform { context in
            let list = context.object(with: list)
            #expect(try OrderedModel.names(list, "items") == "abc")
            try list.setObjects(try list.objects(forKey: "items").reversed(), forKey: "items")
            #expect(try OrderedModel.names(list, "items") == "cba")
            try context.save()
            #expect(try OrderedModel.names(list, "items") == "cba", "in the same body")
        }
        #expect(try OrderedModel.names(store.viewContext.object(with: list), "items") == "cba")
        try await store.close()
    }
}

extension ManagedObjectContext {
    fileprivate var fetchedFirst: Employee? { try? fetch(Employee.self).first }
}
