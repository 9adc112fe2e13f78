import TestSupport
import Testing
import TributaryStore

@testable import Tributary

/// Undo, a refresh and a merge give an ordered relationship its order again.
struct UndoOrderTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder("undo-order") }

    private func open(_ rule: String = "Nullify") async throws -> PersistentContainer {
        try await PersistentContainer.open(folder, model: OrderedModel.model(delete: rule))
    }

    /// A saved list of the items 1, 2, 3, 4, in this order, which is not that of their insertion.
    private func filled(_ context: ManagedObjectContext) throws -> (list: ManagedObject, items: [ManagedObject]) {
        let list = try context.insert(entity: "List")
        let items = try "3142".map { try OrderedModel.named("\($0)", "Item", in: context) }
        try list.setObjects([items[1], items[3], items[0], items[2]], forKey: "items")
        try context.save()
        context.undoStack = UndoStack()
        return (list, try list.objects(forKey: "items"))
    }

    /// The names of the only list's items, as another context reads them.
    private func stored(_ container: PersistentContainer) async throws -> String {
        try await container.performBackgroundTask { context in
            try OrderedModel.names(try #require(try context.fetch(FetchRequest("List")).first), "items")
        }
    }

    @Test(arguments: ["cascade", "nullify", "No Action"], [false, true])
    func `undoing the deletion of an owner gives back the order of its list`(_ rule: String, isSaved: Bool) async throws
    {
        let container = try await open(rule)
        try await container.save { context in
            let (list, _) = try filled(context)
            context.delete(list)
            if isSaved { try context.save() }
            context.undo()
            #expect(try OrderedModel.names(list, "items") == "1234")
            for item in try list.objects(forKey: "items") {
                #expect(try item.value(forKey: "list") == .reference(list.objectID.uniqueID))
            }
            try context.save()
            context.redo()
            #expect(list.isDeleted)
            context.undo()
            #expect(try OrderedModel.names(list, "items") == "1234")
        }
        #expect(try await stored(container) == "1234")
    }

    @Test(arguments: [false, true])
    func `undoing the deletion of an item puts it back in its place`(isSaved: Bool) async throws {
        let container = try await open()
        try await container.save { context in
            let (list, items) = try filled(context)
            for round in 0..<2 {
                if round == 0 { context.delete(items[1]) } else { context.redo() }
                context.processPendingChanges()
                let left = try OrderedModel.names(list, "items")
                #expect(left == "134", "round \(round)")
                if isSaved { try context.save() }
                context.undo()
                #expect(try OrderedModel.names(list, "items") == "1234")
                #expect(context.hasChanges == isSaved, "a deletion that was not saved leaves nothing")
            }
            try list.insert(try OrderedModel.named("0", "Item", in: context), forKey: "items", at: 0)
        }
        #expect(try await stored(container) == "01234")
    }

    @Test(arguments: [false, true])
    func `undoing a move is a change only where the move was saved`(isSaved: Bool) async throws {
        let container = try await open()
        try await container.save { context in
            let (list, items) = try filled(context)
            try list.setObjects(items.reversed(), forKey: "items")
            if isSaved { try context.save() }
            context.undo()
            #expect(try OrderedModel.names(list, "items") == "1234")
            #expect(context.hasChanges == isSaved)
        }
        #expect(try await stored(container) == "1234")
    }

    @Test func `undoing a move keeps the places of objects that were moved before`() async throws {
        let container = try await open()
        try await container.save { context in
            let (list, items) = try filled(context)
            let stack = try #require(context.undoStack)
            for item in [items[3], items[2]] {
                stack.beginUndoGrouping()
                try list.insert(item, forKey: "items", at: 1)
                stack.endUndoGrouping()
            }
            #expect(try OrderedModel.names(list, "items") == "1342")
            context.undo()
            #expect(try OrderedModel.names(list, "items") == "1423")
            context.redo()
            #expect(try OrderedModel.names(list, "items") == "1342")
            context.undo()
        }
        #expect(try await stored(container) == "1423")
    }

    @Test func `undoing a saved deletion finds the place in a list that nobody holds`() async throws {
        let container = try await open()
        let item = try await container.performBackgroundTask { try filled($0).items[1].objectID }
        try await container.save { context in
            context.undoStack = UndoStack()
            context.delete(try context.existingObject(with: item))
            try context.save()
            context.undo()
        }
        #expect(try await stored(container) == "1234")
    }

    @Test func `a refresh that drops the move of an item leaves it in its place`() async throws {
        let container = try await open()
        try await container.save { context in
            let (list, items) = try filled(context)
            try items[1].setValue(.null, forKey: "list")
            #expect(try OrderedModel.names(list, "items") == "134")
            context.refresh(items[1], mergeChanges: false)
            #expect(try OrderedModel.names(list, "items") == "1234")
            try list.insert(try OrderedModel.named("0", "Item", in: context), forKey: "items", at: 0)
        }
        #expect(try await stored(container) == "01234")
    }

    @Test func `a newer row leaves an item where the context has put it`() async throws {
        let container = try await open()
        let background = container.newBackgroundContext()
        let item = try await background.perform { context in
            let (list, _) = try filled(context)
            let item = try OrderedModel.named("5", "Item", in: context)
            try context.save()
            try list.insert(item, forKey: "items", at: 0)
            context.retainsRegisteredObjects = true
            return item.objectID
        }
        try await container.save { try $0.existingObject(with: item).setValue(.string("0"), forKey: "name") }
        try await background.save { $0.refresh($0.object(with: item), mergeChanges: true) }
        #expect(try await stored(container) == "01234")
    }

    @Test func `a move of an object that others have deleted leaves the stack`() async throws {
        let container = try await open()
        let background = container.newBackgroundContext()
        let item = try await background.perform { context in
            let (list, items) = try filled(context)
            context.retainsRegisteredObjects = true
            try list.insert(items[3], forKey: "items", at: 0)
            return items[3].objectID
        }
        try await container.save { context in context.delete(try context.existingObject(with: item)) }
        await background.perform { $0.automaticallyMergesChangesFromParent = true }
        await background.perform { context in
            #expect(context.undoStack?.canUndo == false)
            #expect(!context.hasChanges)
        }
    }

    @Test func `a group keeps one order of each relationship`() async throws {
        let ordered = try await OrderedModel.open(folder)
        try await ordered.performBackgroundTask { context in
            let stack = UndoStack()
            context.undoStack = stack
            let list = try context.insert(entity: "List")
            try list.link(try OrderedModel.named("a", "Item", in: context), forKey: "items")
            context.processPendingChanges()
            stack.endEvent()
            for name in "bcdefgh" {
                let item = try OrderedModel.named("\(name)", "Item", in: context)
                try list.insert(item, forKey: "items", at: 0)
            }
            let orders = stack.open.records.filter { if case .order = $0 { true } else { false } }
            #expect(orders.count == 1)
            #expect(try OrderedModel.names(list, "items") == "hgfedcba")
            context.undo()
            #expect(try OrderedModel.names(list, "items") == "a")
            context.redo()
            #expect(try OrderedModel.names(list, "items") == "hgfedcba")
            try list.setObjects(try list.objects(forKey: "items").reversed(), forKey: "items")
            context.undo()
            #expect(try OrderedModel.names(list, "items") == "hgfedcba")
        }
    }
}
