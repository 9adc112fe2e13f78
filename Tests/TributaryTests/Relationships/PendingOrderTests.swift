import TestSupport
import Testing

@testable import Tributary

/// The moves of a pending order are applied to whatever list the store has by then.
struct PendingOrderTests {
    let folder: TemporaryFolder
    let container: PersistentContainer
    let background: BackgroundContext

    init() async throws {
        (folder, container) = try await OrderedModel.open()
        background = container.newBackgroundContext(name: "moving", mergePolicy: .objectTrump)
    }

    /// A saved list of the items 1, 2, 3, 4.
    private func filled(_ key: String) async throws -> ManagedObjectID {
        try await container.save { context in
            let list = try context.insert(entity: "List")
            for name in "1234" {
                try list.link(try OrderedModel.named("\(name)", OrderedModel.entity(key), in: context), forKey: key)
            }
            return list.objectID
        }
    }

    private func stored(_ list: ManagedObjectID, _ key: String) async throws -> String {
        try await container.performBackgroundTask { try OrderedModel.names($0.object(with: list), key) }
    }

    private static func move(
        _ name: Character,
        to index: Int,
        _ list: ManagedObjectID,
        _ key: String,
        in context: ManagedObjectContext
    ) throws {
        let owner = try context.existingObject(with: list)
        let object = try owner.objects(forKey: key).first { try $0.text("name") == "\(name)" }
        try owner.insert(try #require(object), forKey: key, at: index)
    }

    private func insertElsewhere(_ name: String, at index: Int?, _ list: ManagedObjectID, _ key: String) async throws {
        try await container.save { context in
            let object = try OrderedModel.named(name, OrderedModel.entity(key), in: context)
            let owner = try context.existingObject(with: list)
            if let index {
                try owner.insert(object, forKey: key, at: index)
            } else {
                try owner.link(object, forKey: key)
            }
        }
    }

    @Test(arguments: [false, true])
    func `an object that others have added as well stays where this context adds it`(isMerged: Bool) async throws {
        let list = try await filled("items")
        let item = try await container.save { try OrderedModel.named("5", "Item", in: $0).objectID }
        try await background.perform { context in
            context.automaticallyMergesChangesFromParent = isMerged
            try context.existingObject(with: list).link(context.existingObject(with: item), forKey: "items")
        }
        try await container.save { context in
            let owner = try context.existingObject(with: list)
            try owner.insert(context.existingObject(with: item), forKey: "items", at: 0)
        }
        try await background.perform { context in
            if isMerged { #expect(try OrderedModel.names(context.object(with: list), "items") == "12345") }
            try context.save()
            #expect(try OrderedModel.names(context.object(with: list), "items") == "12345")
        }
        #expect(try await stored(list, "items") == "12345")
    }

    @Test(arguments: [MergePolicy.storeTrump, .rollback])
    func `an order does not write a reference that the policy has dropped`(_ policy: MergePolicy) async throws {
        let list = try await filled("items")
        let (item, other) = try await container.save { context in
            let item = try OrderedModel.named("5", "Item", in: context)
            return (item.objectID, try context.insert(entity: "List").objectID)
        }
        try await background.perform { context in
            context.mergePolicy = policy
            try context.existingObject(with: list).insert(context.existingObject(with: item), forKey: "items", at: 1)
        }
        try await container.save { context in
            try context.existingObject(with: other).link(context.existingObject(with: item), forKey: "items")
        }
        try await background.save { _ in }
        #expect(try await stored(list, "items") == "1234")
        #expect(try await stored(other, "items") == "5")
    }

    @Test(arguments: ["items", "tags", "links"], [false, true])
    func `an object that another context appends stays last`(_ key: String, isMerged: Bool) async throws {
        let list = try await filled(key)
        try await background.perform { context in
            context.automaticallyMergesChangesFromParent = isMerged
            try Self.move("4", to: 0, list, key, in: context)
            #expect(try OrderedModel.names(context.object(with: list), key) == "4123")
        }
        try await insertElsewhere("5", at: nil, list, key)
        try await background.perform { context in
            if isMerged { #expect(try OrderedModel.names(context.object(with: list), key) == "41235") }
            try context.save()
            #expect(try OrderedModel.names(context.object(with: list), key) == "41235")
        }
        #expect(try await stored(list, key) == "41235")
    }

    @Test(arguments: [("0", 0, "40123"), ("x", 2, "412x3"), ("y", 3, "4123y")])
    func `an object that another context inserts stays at its stored place`(
        _ inserted: (name: String, index: Int, result: String)
    ) async throws {
        let list = try await filled("items")
        try await background.perform { context in
            context.automaticallyMergesChangesFromParent = true
            try Self.move("4", to: 0, list, "items", in: context)
        }
        try await insertElsewhere(inserted.name, at: inserted.index, list, "items")
        try await background.perform { context in
            #expect(try OrderedModel.names(context.object(with: list), "items") == inserted.result)
            try context.save()
        }
        #expect(try await stored(list, "items") == inserted.result)
    }

    @Test func `objects keep the places that others gave them, and stay away when others removed them`() async throws {
        let list = try await filled("items")
        try await background.perform { try Self.move("4", to: 0, list, "items", in: $0) }
        try await container.save { context in
            try Self.move("1", to: 3, list, "items", in: context)
            let owner = context.object(with: list)
            try owner.unlink(try owner.objects(forKey: "items")[1], forKey: "items")
        }
        #expect(try await stored(list, "items") == "241")
        try await background.save { _ in }
        #expect(try await stored(list, "items") == "421")
    }

    @Test func `an object that was moved here and removed elsewhere is not linked again`() async throws {
        let list = try await filled("items")
        try await background.perform { try Self.move("4", to: 0, list, "items", in: $0) }
        try await container.save { context in
            let owner = context.object(with: list)
            try owner.unlink(try owner.objects(forKey: "items")[3], forKey: "items")
        }
        try await background.save { _ in }
        #expect(try await stored(list, "items") == "123")
    }

    @Test(arguments: ["items", "tags", "links"])
    func `an object that is appended here comes last`(_ key: String) async throws {
        let list = try await filled(key)
        try await background.perform { context in
            let owner = try context.existingObject(with: list)
            try owner.link(try OrderedModel.named("6", OrderedModel.entity(key), in: context), forKey: key)
        }
        try await insertElsewhere("5", at: nil, list, key)
        try await background.save { _ in }
        #expect(try await stored(list, key) == "123456")
    }

    // MARK: Undo

    @Test(arguments: [false, true])
    func `undo moves an object back behind its neighbour`(isSaved: Bool) async throws {
        let list = try await filled("items")
        let stack = try await background.perform { context in
            context.automaticallyMergesChangesFromParent = true
            context.undoStack = UndoStack()
            try Self.move("4", to: 0, list, "items", in: context)
            if isSaved { try context.save() }
            return context.undoStack != nil
        }
        #expect(stack)
        try await insertElsewhere("5", at: nil, list, "items")
        try await background.perform { context in
            let owner = context.object(with: list)
            context.undo()
            #expect(try OrderedModel.names(owner, "items") == "12345")
            #expect(context.hasChanges == isSaved, "an unsaved move leaves nothing")
            context.redo()
            #expect(try OrderedModel.names(owner, "items") == "41235")
            context.undo()
            try context.save()
        }
        #expect(try await stored(list, "items") == "12345")
    }

    @Test func `undo does not bring back an order that others have changed`() async throws {
        let list = try await filled("items")
        try await background.perform { context in
            context.automaticallyMergesChangesFromParent = true
            context.undoStack = UndoStack()
            try Self.move("4", to: 0, list, "items", in: context)
        }
        try await container.save { try Self.move("1", to: 2, list, "items", in: $0) }
        try await background.perform { context in
            let owner = try context.existingObject(with: list)
            #expect(try OrderedModel.names(owner, "items") == "4231")
            context.undo()
            #expect(try OrderedModel.names(owner, "items") == "2314")
            #expect(!context.hasChanges)
        }
    }

    @Test func `a move of an object that was linked last can be undone`() async throws {
        let list = try await filled("items")
        try await background.perform { context in
            context.undoStack = UndoStack()
            let owner = try context.existingObject(with: list)
            try Self.move("1", to: 1, list, "items", in: context)
            let item = try OrderedModel.named("5", "Item", in: context)
            try owner.insert(item, forKey: "items", at: 99)
            context.processPendingChanges()
            context.undoStack?.endEvent()
            try owner.insert(item, forKey: "items", at: 0)
            #expect(try OrderedModel.names(owner, "items") == "52134")
            context.undo()
            #expect(try OrderedModel.names(owner, "items") == "21345")
        }
    }

    // MARK: Children

    @Test func `the moves of a child are applied to the list of its parent`() async throws {
        let list = try await filled("items")
        try await background.perform { context in
            context.automaticallyMergesChangesFromParent = true
            let child = context.newChild()
            try Self.move("4", to: 0, list, "items", in: child)
            let owner = try context.existingObject(with: list)
            try owner.link(try OrderedModel.named("5", "Item", in: context), forKey: "items")
            child.processPendingChanges()
            #expect(try OrderedModel.names(child.object(with: list), "items") == "41235")
            try child.save()
            #expect(try OrderedModel.names(owner, "items") == "41235")
        }
        try await insertElsewhere("6", at: 4, list, "items")
        try await background.perform { context in
            #expect(try OrderedModel.names(context.object(with: list), "items") == "412365")
            try context.save()
        }
        #expect(try await stored(list, "items") == "412365")
    }

    @Test func `a parent shows what a child has appended in the child's order`() async throws {
        let list = try await filled("items")
        let child = background.newChild()
        try await child.perform { context in
            let items = try "65".map { try OrderedModel.named("\($0)", "Item", in: context) }
            let owner = try context.existingObject(with: list)
            for item in items.reversed() { try owner.link(item, forKey: "items") }
            try context.save()
            #expect(try OrderedModel.names(owner, "items") == "123456")
        }
        try await background.save { context in
            let owner = try context.existingObject(with: list)
            #expect(try OrderedModel.names(owner, "items") == "123456")
        }
        #expect(try await stored(list, "items") == "123456")
    }

    // MARK: Random moves

    /// Two contexts move, insert and remove objects of one list.
    ///
    /// A context that has merged shows what its save stores.
    @Test(arguments: ["items", "tags", "links"])
    func `what a context shows is what its save stores`(_ key: String) async throws {
        var random = SeededGenerator.printingSeed()
        let seed = random.seed
        let list = try await filled(key)
        let contexts = (0..<2).map { container.newBackgroundContext(name: "\($0)", mergePolicy: .objectTrump) }
        for context in contexts { await context.perform { $0.automaticallyMergesChangesFromParent = true } }
        for round in 0..<60 {
            let stepSeed = random.next()
            let index = Int.random(in: 0..<2, using: &random)
            let isSaved = Int.random(in: 0..<3, using: &random) == 0
            let shown = try await contexts[index].perform { context in
                var random = SeededGenerator(seed: stepSeed)
                let owner = try context.existingObject(with: list)
                let objects = try owner.objects(forKey: key)
                switch Int.random(in: 0..<6, using: &random) {
                case 0:
                    let name = "\(Unicode.Scalar(UInt8(97 + round % 26)))"
                    let object = try OrderedModel.named(name, OrderedModel.entity(key), in: context)
                    let index = Int.random(in: 0...objects.count, using: &random)
                    try owner.insert(object, forKey: key, at: index)
                case 1 where objects.count > 2:
                    try owner.unlink(try #require(objects.randomElement(using: &random)), forKey: key)
                case 2:
                    let name = "\(Unicode.Scalar(UInt8(65 + round % 26)))"
                    try owner.link(try OrderedModel.named(name, OrderedModel.entity(key), in: context), forKey: key)
                case 3: try owner.setObjects(objects.shuffled(using: &random), forKey: key)
                default:
                    let object = try #require(objects.randomElement(using: &random))
                    try owner.insert(object, forKey: key, at: Int.random(in: 0..<objects.count, using: &random))
                }
                let shown = try OrderedModel.names(owner, key)
                if isSaved { try context.save() }
                #expect(try OrderedModel.names(owner, key) == shown, "seed \(seed), round \(round)")
                return shown
            }
            if isSaved { #expect(try await stored(list, key) == shown, "seed \(seed), round \(round)") }
        }
    }

    @Test func `objects that others have inserted too are in the stored order`() async throws {
        let lists = (0..<4).map { UniqueID(high: $0, low: 6) }
        try await container.save { context in
            for list in lists {
                for index in 0..<5 {
                    let item = try context.insert(entity: "Item", id: UniqueID(high: list.high, low: UInt64(5 - index)))
                    try item.setValue(.string("\(index)"), forKey: "name")
                }
            }
        }
        let items = FetchRequest<ManagedObject>("Item", sortKeys: [SortKey("name")])
        let kept = try await background.perform { context in
            context.automaticallyMergesChangesFromParent = false
            try context.pin()
            // Few objects of many change elsewhere, and unsaved changes keep the items in use.
            for _ in 0..<100 { try context.insert(entity: "Item") }
            for item in try context.fetch(items) {
                try item.setValue(.string("\(item.text("name"))!"), forKey: "name")
            }
            return try lists.map { try context.insert(entity: "List", id: $0).objectID }
        }
        try await container.save { context in
            for id in lists {
                let list = try context.insert(entity: "List", id: id)
                for item in try context.fetch(items) where item.uniqueID.high == id.high {
                    try list.link(item, forKey: "items")
                }
            }
        }
        try await background.perform { context in
            try context.pin()
            let names = try kept.map { try OrderedModel.names(context.object(with: $0), "items") }
            #expect(names == Array(repeating: "0!1!2!3!4!", count: lists.count))
        }
    }
}
