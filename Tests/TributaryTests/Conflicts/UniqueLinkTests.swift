import TestSupport
import Testing

@testable import Tributary

/// What becomes of the links of a new object whose unique key a stored object has.
struct UniqueLinkTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    /// The relationships lead from either side, because one of the two entities keeps the pairs of a relationship.
    init() async throws {
        (folder, container) = try await PersistentContainer.open(
            entities: """
                Key:
                  attributes: {code: String?}
                  unique: [code]
                  relationships:
                    before: {to: Anchor, many: true, inverse: keysAfter}
                    after: {to: Zone, many: true, inverse: keysBefore}
                    zones: {to: Zone, many: true, ordered: true, inverse: keys}
                    parts: {to: Part, many: true, ordered: true, inverse: key}
                    shelf: {to: Shelf?, inverse: keys}
                    next: {to: Key?}
                Anchor: {relationships: {keysAfter: {to: Key, many: true, inverse: before}}}
                Zone:
                  attributes: {name: String?}
                  relationships:
                    keysBefore: {to: Key, many: true, inverse: after}
                    keys: {to: Key, many: true, inverse: zones}
                Part: {attributes: {name: String?}, relationships: {key: {to: Key?, inverse: parts}}}
                Shelf: {relationships: {keys: {to: Key, many: true, ordered: true, inverse: shelf}}}
                """
        )
    }

    private func key(_ code: String, _ suffix: String, in context: ManagedObjectContext) throws -> ManagedObject {
        let key = try context.insert("Key", ["code": .string(code)])
        try key.link(try context.insert(entity: "Anchor"), forKey: "before")
        try key.link(try context.insert(entity: "Zone"), forKey: "after")
        for name in ["1", "2"] {
            try key.link(try OrderedModel.named(name + suffix, "Zone", in: context), forKey: "zones")
            try key.insert(try OrderedModel.named(name + suffix, "Part", in: context), forKey: "parts", at: 0)
        }
        return key
    }

    @Test func `under objectTrump the stored object takes all links of the new one, in order`() async throws {
        let stored = try await container.save { try key("A", "a", in: $0).objectID }
        let background = container.newBackgroundContext(mergePolicy: .objectTrump)
        let shelf = try await background.save { context in
            let shelf = try context.insert(entity: "Shelf")
            for code in ["X", "A", "Y"] { try shelf.link(try key(code, "b", in: context), forKey: "keys") }
            return shelf.objectID
        }
        try await container.performBackgroundTask { context in
            let object = try context.existingObject(with: stored)
            #expect(try object.objectIDs(forKey: "before").count == 2)
            #expect(try object.objectIDs(forKey: "after").count == 2)
            #expect(try OrderedModel.names(object, "zones") == "1a2a1b2b")
            #expect(try OrderedModel.names(object, "parts") == "2a1a2b1b")
            let codes = try context.existingObject(with: shelf).objects(forKey: "keys").map {
                try $0.value(forKey: "code")
            }
            #expect(codes == [.string("X"), .string("A"), .string("Y")])
            #expect(try context.count(for: FetchRequest("Key")) == 3)
        }
    }

    /// Each new object loses to the one after it, and a link to the first one leads to the last one.
    @Test func `under objectTrump a chain of replacements leads to its end, also where the save was made`() async throws
    {
        let context = container.newBackgroundContext(mergePolicy: .objectTrump)
        try await context.perform { context in
            let keys = try (0..<4).map { _ in try context.insert("Key", ["code": .string("A")]) }
            let part = try context.insert(entity: "Part")
            try part.setValue(.reference(keys[0].uniqueID), forKey: "key")
            let other = try context.insert("Key", ["code": .string("B"), "next": .reference(keys[0].uniqueID)])
            try context.save()
            let winner = PropertyValue.reference(keys[3].uniqueID)
            #expect(try part.value(forKey: "key") == winner && other.value(forKey: "next") == winner)
            #expect(try keys[3].objectIDs(forKey: "parts") == [part.objectID])
            context.refreshAllObjects()
            #expect(try part.value(forKey: "key") == winner && other.value(forKey: "next") == winner)
            #expect(try context.count(for: FetchRequest("Key")) == 2)
        }
    }

    /// The context that saves shows what the store has: the object in place of the new one that it has inserted.
    @Test(arguments: [MergePolicy.objectTrump, .storeTrump])
    func `what refers to a replaced object is read again`(policy: MergePolicy) async throws {
        let stored = try await container.save { try $0.insert("Key", ["code": .string("A")]).uniqueID }
        try await container.newBackgroundContext(mergePolicy: policy).perform { context in
            let key = try context.insert("Key", ["code": .string("A")])
            let part = try context.insert(entity: "Part")
            try part.setValue(.reference(key.uniqueID), forKey: "key")
            try context.save()
            #expect(try part.value(forKey: "key") == .reference(stored))
        }
    }

    @Test func `under objectTrump a value that refers to another new object refers to the stored one in its place`()
        async throws
    {
        let stored = try await container.save { context in
            try ["A", "B"].map { try context.insert("Key", ["code": .string($0)]).objectID }
        }
        try await container.newBackgroundContext(mergePolicy: .objectTrump).save { context in
            let next = try context.insert("Key", ["code": .string("B")])
            try context.insert("Key", ["code": .string("A"), "next": .reference(next.uniqueID)])
        }
        try await container.performBackgroundTask { context in
            let next = try context.existingObject(with: stored[0]).value(forKey: "next")
            #expect(next == .reference(stored[1].uniqueID))
            #expect(try context.count(for: FetchRequest("Key")) == 2)
        }
    }
}
