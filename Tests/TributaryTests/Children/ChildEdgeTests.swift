import TestSupport
import Testing

@testable import Tributary

/// Children at the edges: a parent that has ended, what a parent has not saved, the parent's undo.
@MainActor
struct ChildEdgeTests {
    let folder: TemporaryFolder
    let container: PersistentContainer
    var view: ManagedObjectContext { container.viewContext }

    init() async throws { (folder, container) = try await Company.open() }

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
