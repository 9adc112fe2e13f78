import TestSupport
import Testing
import TributaryStore

@testable import Tributary

/// Objects of different root entities that have one UUID: what is said of the one is not said of the other.
struct SharedUUIDTests {
    private static let shared = UniqueID(high: 0x0190_F1A2_0000_7000, low: 0x8000_0000_0000_0001)

    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws {
        let title = "title: {type: String, optional: true, preserve_after_deletion: true}"
        (folder, container) = try await PersistentContainer.open(
            entities: """
                Product: {attributes: {\(title)}, unique: [title]}
                Note: {attributes: {\(title)}}
                Order:
                  attributes: {\(title)}
                  relationships: {product: {to: Product?}, note: {to: Note?}, notes: {to: Note, many: true}}
                """
        )
    }

    @Test func theValuesThatDeletedObjectsLeaveBehindAreTheirOwn() async throws {
        try await container.performBackgroundTask { context in
            let objects = try ["Note", "Product"].map { entity in
                let object = try context.insert(entity: entity, id: Self.shared)
                try object.setValue(.string("a \(entity)"), forKey: "title")
                return object
            }
            try context.save()
            for object in objects { context.delete(object) }
            try context.save()
        }
        let changes = try #require(try container.fetchHistory().last?.changes)
        #expect(changes.map(\.kind) == [.delete, .delete])
        for change in changes { #expect(change.tombstone == ["title": .string("a \(change.objectID.entity)")]) }
    }

    @Test func referencesToOtherObjectsThanTheReplacedOneStay() async throws {
        let context = container.newBackgroundContext(mergePolicy: .objectTrump)
        let (product, order) = try await context.save { context in
            let stored = try context.insert("Product", ["title": .string("tea")])
            try context.save()
            // Gives way to the stored one, which has its key.
            let other = try context.insert(entity: "Product", id: Self.shared)
            try other.setValue(.string("tea"), forKey: "title")
            let note = try context.insert(entity: "Note", id: Self.shared)
            let order = try context.insert(entity: "Order")
            try order.setValue(.reference(other.uniqueID), forKey: "product")
            try order.setValue(.reference(note.uniqueID), forKey: "note")
            try order.link(note, forKey: "notes")
            return (stored.objectID, order.objectID)
        }
        try await container.performBackgroundTask { context in
            let order = try context.existingObject(with: order)
            #expect(try order.value(forKey: "product") == .reference(product.uniqueID))
            #expect(try order.value(forKey: "note") == .reference(Self.shared))
            #expect(try order.objects(forKey: "notes").map(\.objectID.uniqueID) == [Self.shared])
        }
    }
}
