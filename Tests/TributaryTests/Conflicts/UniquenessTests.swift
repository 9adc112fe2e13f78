import TestSupport
import Testing
import TributaryStore

@testable import Tributary

/// Keys that no two objects may have, at a save under each policy.
struct UniquenessTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    final class Product: ManagedObject {
        override class var entityName: String { "Product" }
        static let country = Field<String?>("country")
        static let serial = Field<String?>("serial")
    }

    init() async throws {
        folder = try TemporaryFolder("unique")
        container = try await PersistentContainer.open(folder, model: ProductModel.make(), classes: [Product.self])
    }

    @discardableResult
    private func make(
        _ context: ManagedObjectContext,
        _ code: String,
        _ title: String,
        entity: String = "Product"
    ) throws -> ManagedObject {
        try context.insert(entity, ["code": .string(code), "title": .string(title)])
    }

    /// A saved product of the key A1.
    private func stored() async throws -> ManagedObjectID {
        try await container.save { context in
            let product = try make(context, "A1", "stored")
            try product.setValue(.string("M"), forKey: "maker")
            return product.objectID
        }
    }

    private func titles() async throws -> [String] { try await ProductModel.titles(container) }

    @Test(arguments: [MergePolicy.objectTrump, .storeTrump, .rollback])
    func twoNewObjectsMeetAStoredOne(_ policy: MergePolicy) async throws {
        let stored = try await stored()
        let background = container.newBackgroundContext(mergePolicy: policy)
        let orders = try await background.perform { context in
            let orders = try ["first", "second"].map { title in
                let product = try make(context, "A1", title)
                let order = try context.insert("Order", ["item": .reference(product.uniqueID)])
                return order
            }
            try context.save()
            return orders.map(\.objectID)
        }
        #expect(try await titles() == [policy == .objectTrump ? "second" : "stored"])
        let items = try await container.performBackgroundTask { context in
            try orders.map { try context.existingObject(with: $0).value(forKey: "item") }
        }
        #expect(items == [.reference(stored.uniqueID), .reference(stored.uniqueID)])
        let changes = try container.fetchHistory().flatMap(\.changes).filter { $0.kind == .insert }
        #expect(changes.filter { $0.objectID.entity == "Product" }.count == 1)
    }

    @Test(arguments: MergePolicy.allCases)
    func aNewObjectMeetsAStoredOne(_ policy: MergePolicy) async throws {
        let stored = try await stored()
        let background = container.newBackgroundContext(mergePolicy: policy)
        let (failure, order): (ConflictError?, ManagedObjectID) = try await background.perform { context in
            let product = try make(context, "A1", "new")
            let order = try context.insert("Order", ["item": .reference(product.uniqueID)])
            do {
                try context.save()
                if policy != .overwrite { #expect(product.state == .gone) }
                return (nil, order.objectID)
            } catch let error as ConflictError {
                #expect(product.isInserted, "a failed save changes nothing")
                return (error, order.objectID)
            }
        }
        let target = try await container.performBackgroundTask { context in
            failure == nil ? try context.object(with: order).value(forKey: "item") : .null
        }
        switch policy {
        case .error:
            let conflict = try #require(failure?.constraintConflicts.first)
            #expect(conflict.properties == ["code"] && conflict.values == [.string("A1")])
            #expect(conflict.stored?.id == stored && conflict.stored?["title"] == .string("stored"))
            #expect(conflict.objectIDs.count == 1 && conflict.entity == "Product" && failure?.conflicts == [])
            #expect(try await titles() == ["stored"])
        case .objectTrump:
            #expect(try await titles() == ["new"])
            #expect(target == .reference(stored.uniqueID), "what led to the new object leads to the one that stays")
        case .overwrite:
            #expect(try await titles() == ["new"])
            #expect(target != .reference(stored.uniqueID) && target != .null)
            let makers = try await container.performBackgroundTask { context in
                try context.fetch(FetchRequest("Product")).map { try $0.value(forKey: "maker") }
            }
            #expect(makers == [.null], "also what the new object leaves open")
        case .storeTrump, .rollback:
            #expect(try await titles() == ["stored"])
            #expect(target == .reference(stored.uniqueID))
        }
    }

    @Test(arguments: MergePolicy.allCases)
    func twoNewObjectsOfOneSave(_ policy: MergePolicy) async throws {
        let background = container.newBackgroundContext(mergePolicy: policy)
        let failure: ConflictError? = try await background.perform { context in
            try make(context, "A1", "first")
            try make(context, "A1", "second", entity: "Bundle")
            do {
                try context.save()
                return nil
            } catch let error as ConflictError {
                return error
            }
        }
        switch policy {
        case .error:
            let conflict = try #require(failure?.constraintConflicts.first)
            #expect(conflict.objectIDs.count == 2 && conflict.stored == nil)
            #expect(try await titles().isEmpty)
        case .objectTrump, .overwrite: #expect(try await titles() == ["second"])
        case .storeTrump, .rollback: #expect(try await titles() == ["first"])
        }
    }

    @Test(arguments: MergePolicy.allCases)
    func aSavedObjectTakesTheKeyOfAnother(_ policy: MergePolicy) async throws {
        let background = container.newBackgroundContext(mergePolicy: policy)
        let isRefused = try await background.perform { context in
            try make(context, "A1", "one")
            let second = try make(context, "A2", "two")
            try context.save()
            try second.setValue(.string("A1"), forKey: "code")
            do {
                try context.save()
                return false
            } catch is ConflictError {
                return true
            }
        }
        #expect(isRefused == (policy == .error || policy == .objectTrump))
        #expect(try await titles() == (policy == .overwrite ? ["two"] : ["one", "two"]))
    }

    @Test func nullsAndPartsOfAKeyDoNotCollide() async throws {
        try await container.performBackgroundTask { context in
            for serial in ["1", "2"] {
                try context.insert("Product", ["country": .string("CH"), "serial": .string(serial)])
            }
            for _ in 0..<2 { try context.insert(entity: "Product").setValue(.string("CH"), forKey: "country") }
            try context.save()
            try context.insert("Product", ["country": .string("CH"), "serial": .string("2")])
            let error = try #require(throws: ConflictError.self) { try context.save() }
            #expect(error.constraintConflicts.first?.properties.sorted() == ["country", "serial"])
            #expect("\(error)".contains("would have the same Product"))
        }
    }

    @Test func aKeyThatIsFreedInTheSaveMayBeTaken() async throws {
        try await container.save { context in
            let (first, second) = (try make(context, "A1", "one"), try make(context, "A2", "two"))
            try context.save()
            try first.setValue(.string("A2"), forKey: "code")
            try second.setValue(.string("A1"), forKey: "code")
            try context.save()
            context.delete(first)
            try make(context, "A2", "three")
        }
        #expect(try await titles() == ["three", "two"])
    }

    @Test func upsertFindsOrMakes() async throws {
        try await container.performBackgroundTask { context in
            let new = try context.upsert(Product.self, by: ["code": .string("A1")])
            #expect(new.isInserted)
            #expect(try context.upsert(Product.self, by: ["code": .string("A1")]) === new)
            try context.save()
            #expect(try context.upsert(Product.self, by: ["code": .string("A1")]) === new)
            try new.setValue(.string("A9"), forKey: "code")
            #expect(try context.upsert(Product.self, by: ["code": .string("A1")]) !== new)
            #expect(throws: ContextError.self) { try context.upsert(Product.self, by: ["no": .null]) }
            let serial = "17"
            let typed = try context.upsert(Product.self, by: (Product.country, "CH"), (Product.serial, serial))
            #expect(try typed.value(forKey: "country") == .string("CH") && typed !== new)
            #expect(try context.upsert(Product.self, by: (Product.serial, serial), (Product.country, "CH")) === typed)
        }
        let plan = try PlainSQL(path: folder.path("store.sqlite"))
            .rows("EXPLAIN QUERY PLAN SELECT 1 FROM Product WHERE code = 'A1'")
        #expect("\(plan)".contains("tributary_key_Product_code"))
    }

    @Test func theStepsOfAnObjectThatOverwriteDeletesAreForgotten() async throws {
        let background = container.newBackgroundContext(mergePolicy: .overwrite)
        await background.perform { $0.undoStack = UndoStack() }
        try await background.save { _ = try make($0, "A1", "former") }
        try await background.perform { context in
            try make(context, "A1", "new")
            try context.save()
            #expect(try ProductModel.titles(context) == ["new"])
        }
        try await background.perform { context in
            let stack = try #require(context.undoStack)
            #expect(stack.canUndo)
            context.undo()
            #expect(!stack.canUndo, "the insertion of the deleted object cannot be undone")
        }
    }

    @Test(arguments: [false, true])
    func aReferenceToADeletedObjectIsEmpty(isReadBeforeTheSave: Bool) async throws {
        let id = try await stored()
        try await container.save { $0.delete(try $0.existingObject(with: id)) }
        try await container.performBackgroundTask { context in
            let fault = context.object(with: id)
            #expect(fault.isFault)
            let order = try context.insert("Order", ["item": .reference(id.uniqueID)])
            if isReadBeforeTheSave { #expect(try order.objects(forKey: "item").isEmpty) }
            try context.save()
            #expect(try order.objects(forKey: "item").isEmpty)
            #expect(fault.state == .gone)
        }
    }
}
