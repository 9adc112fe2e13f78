import TestSupport
import Testing
import TributaryChanges

@testable import Tributary

/// An undo stack is bounded, and removes objects that a merge has deleted.
struct UndoBoundsTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder("undo-bounds")
    }

    @Test
    func aGroupKeepsOneOrderOfEachRelationship() async throws {
        let ordered = try await OrderedModel.open(folder, "undo-orders")
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
        try await ordered.close()
    }

    @Test
    func manyObjectsThatAMergeDeletesAreForgottenTogether() async throws {
        let container = try await Company.open(folder)
        let background = container.newBackgroundContext()
        let ids = try await background.perform { context in
            context.undoStack = UndoStack()
            let employees = try (0..<30).map { try context.hire("\($0)") }
            context.retainsRegisteredObjects = true
            try context.save()
            return employees.map(\.objectID)
        }
        try await container.performBackgroundTask { context in
            for id in ids.dropLast() { context.delete(try context.existingObject(with: id)) }
            try context.save()
        }
        await background.perform { context in
            context.automaticallyMergesChangesFromParent = true
        }
        await background.perform { context in
            let stack = context.undoStack
            #expect(stack?.undoGroups.count == 1)
            context.undo()
            #expect(context.deletedObjects.map(\.objectID) == ids.suffix(1))
        }
        try await container.close()
    }
}
