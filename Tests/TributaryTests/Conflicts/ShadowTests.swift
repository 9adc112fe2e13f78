import TestSupport
import Testing
import TributaryStore

@testable import Tributary

/// Contexts follow objects that an import hides behind an older one with their unique key.
@MainActor
struct ShadowTests {
    private nonisolated static let writer = UniqueID(high: 7, low: 7)
    private nonisolated static let foreign = UniqueID(high: 1, low: 1)

    final class Product: ManagedObject {
        override class var entityName: String { "Product" }
    }

    final class Order: ManagedObject {
        override class var entityName: String { "Order" }
    }

    let folder: TemporaryFolder
    let container: PersistentContainer
    let order: ManagedObjectID

    /// A product "own" of the code A1, its order, and then an older product "foreign" of that code.
    init() async throws {
        folder = try TemporaryFolder("shadow")
        let classes: [ManagedObject.Type] = [Product.self, Order.self]
        container = try await PersistentContainer.open(folder, model: ProductModel.make(), classes: classes)
        order = try await container.save { context in
            let product = try context.insert("Product", ["code": .string("A1"), "title": .string("own")])
            let order = try context.insert("Order", ["item": .reference(product.objectID.uniqueID)])
            return order.objectID
        }
        await container.mergePendingChanges()
        #expect(try ProductModel.titles(container.viewContext) == ["own"])
        let values = [
            PropertyWrite(name: "code", value: .string("A1")), PropertyWrite(name: "title", value: .string("foreign")),
        ]
        let header = TransactionHeader(sequence: 1, clock: HybridClock(milliseconds: 1_000), changeCount: 1)
        try await container.importTransactions { transaction in
            try transaction.beginImport(writer: ShadowTests.writer, header: header)
            try transaction.apply([Change(entity: "Product", id: ShadowTests.foreign, operation: .insert(values))])
            return ((), [try transaction.endImport()])
        }
        await container.mergePendingChanges()
    }

    private func titles() throws -> [String] { try ProductModel.titles(container.viewContext) }

    /// The product of the order of the product "own".
    private func item() throws -> String? {
        let order = try container.viewContext.existingObject(with: order)
        guard case .reference(let id) = try order.value(forKey: "item") else { return nil }
        return id == ShadowTests.foreign ? "foreign" : "own"
    }

    @Test func `the main context shows the older object, and the shadow again when its key is changed`() async throws {
        #expect(try titles() == ["foreign"])
        #expect(try item() == "foreign")
        try await container.performBackgroundTask { context in
            let product = try context.fetch(FetchRequest("Product"))[0]
            try product.setValue(.string("B2"), forKey: "code")
            try context.save()
            #expect(try context.count(for: FetchRequest("Product")) == 2)
        }
        await container.mergePendingChanges()
        #expect(try titles() == ["foreign", "own"])
        #expect(try item() == "own")
    }

    @Test func `deleting the older object deletes the shadow`() async throws {
        try await container.save { $0.delete(try $0.fetch(FetchRequest("Product"))[0]) }
        await container.mergePendingChanges()
        #expect(try titles() == [])
        #expect(try item() == nil)
    }

    /// Renames the visible holder of the key A1 and inserts another one, while the shadow waits for that key.
    private func renameAndInsert(_ policy: MergePolicy) async throws -> ConflictError? {
        let background = container.newBackgroundContext(mergePolicy: policy)
        return try await background.perform { context in
            let holder = try context.fetch(FetchRequest("Product"))[0]
            try holder.setValue(.string("B2"), forKey: "code")
            let new = try context.insert("Product", ["code": .string("A1")])
            try new.setValue(.string("new"), forKey: "title")
            let order = try context.insert("Order", ["item": .reference(new.uniqueID)])
            do {
                try context.save()
                return nil
            } catch let error as ConflictError {
                #expect(new.isInserted && holder.hasChanges && order.isInserted, "a failed save changes nothing")
                return error
            }
        }
    }

    @Test(arguments: MergePolicy.allCases)
    func `a save that would hide its own object behind a shadow is a conflict`(_ policy: MergePolicy) async throws {
        let before = try container.fetchHistory().count
        let failure = try await renameAndInsert(policy)
        await container.mergePendingChanges()
        switch policy {
        case .error:
            let conflict = try #require(failure?.constraintConflicts.first)
            #expect(
                conflict.entity == "Product" && conflict.properties == ["code"] && conflict.values == [.string("A1")]
            )
            #expect(conflict.objectIDs.count == 1 && conflict.stored?.values["title"] == .string("own"))
            let text = try #require(failure).description
            #expect(text.contains("\(conflict.objectIDs[0])"))
            #expect(text.contains("\(try #require(conflict.stored).id)"))
            #expect(try titles() == ["foreign"])
            #expect(try container.fetchHistory().count == before, "nothing is half saved")
        case .objectTrump: #expect(try titles() == ["foreign", "new"], "the shadow took the values")
        case .overwrite: #expect(try titles() == ["foreign", "new"])
        case .storeTrump, .rollback: #expect(try titles() == ["foreign", "own"])
        }
        #expect((failure == nil) == (policy != .error))
        // References to the shadow, and those to the object of the save, lead to the object that has the key.
        let orders = try container.viewContext.fetch(FetchRequest("Order"))
        #expect(orders.count == (policy == .error ? 1 : 2))
        for item in orders {
            let isLost = item.objectID == order && policy == .overwrite
            #expect(try (item.value(forKey: "item") == .null) == isLost)
        }
        try await container.close()
    }

    @Test func `a transaction of several saves that would hide an object of its own fails as a whole`() async throws {
        await #expect(throws: ConflictError.self) {
            try await container.performBackgroundTask { context in
                try context.performInOneTransaction {
                    let holder = try context.fetch(FetchRequest("Product"))[0]
                    try holder.setValue(.string("B2"), forKey: "code")
                    try context.insert("Product", ["code": .string("A1")])
                    try context.save()
                }
            }
        }
        await container.mergePendingChanges()
        #expect(try titles() == ["foreign"])
    }

    @Test func `a batch that would hide objects of its own is refused`() async throws {
        try await container.save { _ = try $0.insert("Product", ["code": .string("C3"), "serial": .string("A1")]) }
        // The holder gets no code, so the shadow is shown; the new product gets the code of the shadow.
        let error = await #expect(throws: BatchError.self) {
            try await container.execute(BatchUpdateRequest("Product", setting: ["code": .property("serial")]))
        }
        guard case .constraint(nil, ["code"], _)? = error else { throw Unexpected(error) }
        await container.mergePendingChanges()
        #expect(try titles().contains("foreign") && !titles().contains("own"))
    }

    @Test func `a save that takes the key of the older object is a conflict`() async throws {
        await #expect(throws: ConflictError.self) {
            try await container.save { _ = try $0.insert("Product", ["code": .string("A1")]) }
        }
    }
}

/// A save frees the key of a hidden object for another one, and the key has a reference to an object that is missing.
struct MissingReferenceKeyTests {
    private static let missing = UniqueID(high: 9, low: 9)

    /// Places, in the order of their inserts; the second one is hidden by the first.
    private static let places = (1...3).map { UniqueID(high: 1, low: $0) }

    @Test(arguments: MergePolicy.allCases)
    func `the policy decides about the hidden object`(_ policy: MergePolicy) async throws {
        let (folder, container) = try await PersistentContainer.open(
            entities: """
                Region: {attributes: {name: String?}}
                Place:
                  attributes: {code: String?}
                  unique: [[region, code]]
                  relationships: {region: {to: Region?}}
                """
        )
        try await container.importTransactions { transaction in
            var committed: [CommittedTransaction] = []
            for (index, code) in ["x", "x", "z"].enumerated() {
                let header = TransactionHeader(
                    sequence: UInt64(index) + 1,
                    clock: HybridClock(milliseconds: 1_000 + UInt64(index)),
                    changeCount: 1
                )
                let values = [
                    PropertyWrite(name: "code", value: .string(code)),
                    PropertyWrite(name: "region", value: .string(Self.missing.description)),
                ]
                try transaction.beginImport(writer: UniqueID(high: 7, low: 7), header: header)
                let insert = Change(entity: "Place", id: Self.places[index], operation: .insert(values))
                try transaction.apply([insert])
                committed.append(try transaction.endImport())
            }
            return ((), committed)
        }
        let failure = try await container.newBackgroundContext(mergePolicy: policy).perform { context in
            let (first, last) = try (Self.place(0, in: context), Self.place(2, in: context))
            try first.setValue(.string("y"), forKey: "code")
            try last.setValue(.string("x"), forKey: "code")
            do {
                try context.save()
                return nil as ConflictError?
            } catch let error as ConflictError {
                return error
            }
        }
        let codes = try await container.performBackgroundTask { context in
            try context.fetch(FetchRequest("Place")).sorted { $0.uniqueID < $1.uniqueID }.map { try $0.text("code") }
        }
        switch policy {
        case .error, .objectTrump:
            #expect(failure?.constraintConflicts.first?.properties == ["region", "code"])
            #expect(codes == ["x", "z"])
        case .overwrite: #expect(failure == nil && codes == ["y", "x"])
        case .storeTrump, .rollback: #expect(failure == nil && codes == ["y", "x", "z"])
        }
        try await container.close()
        withExtendedLifetime(folder) {}
    }

    private static func place(_ index: Int, in context: ManagedObjectContext) throws -> ManagedObject {
        try #require(try context.fetch(FetchRequest("Place")).first { $0.uniqueID == places[index] })
    }
}
