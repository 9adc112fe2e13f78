import Foundation
import TestSupport
import Testing
import TributaryStore

@testable import Tributary

/// Ordered to-many relationships: with a to-one inverse, with a to-many one, and without.
struct OrderedRelationshipTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws { (folder, container) = try await OrderedModel.open() }

    static let relationships = [("items", "Item"), ("tags", "Tag"), ("links", "Tag")]

    private func fill(
        _ context: ManagedObjectContext,
        _ relationship: (key: String, entity: String),
        _ names: String
    ) throws -> ManagedObject {
        let list = try context.insert(entity: "List")
        for name in names {
            try list.link(try OrderedModel.named("\(name)", relationship.entity, in: context), forKey: relationship.key)
        }
        return list
    }

    /// The names that a new context reads.
    private func read(_ id: ManagedObjectID, _ key: String) async throws -> String {
        try await container.performBackgroundTask { try OrderedModel.names($0.object(with: id), key) }
    }

    @Test(arguments: relationships)
    func readsInTheOrderInWhichItWasBuilt(_ relationship: (key: String, entity: String)) async throws {
        let key = relationship.key
        let id = try await container.performBackgroundTask { context in
            let list = try fill(context, relationship, "zyxabc")
            #expect(try OrderedModel.names(list, key) == "zyxabc")
            try context.save()
            #expect(try OrderedModel.names(list, key) == "zyxabc")
            return list.objectID
        }
        #expect(try await read(id, key) == "zyxabc")
    }

    @Test(arguments: relationships)
    func insertsMovesRemovesAndReplaces(_ relationship: (key: String, entity: String)) async throws {
        let key = relationship.key
        let background = container.newBackgroundContext()
        let id = try await background.perform { context in
            let list = try fill(context, relationship, "abcd")
            try context.save()
            try list.insert(try OrderedModel.named("x", relationship.entity, in: context), forKey: key, at: 0)
            try list.insert(try OrderedModel.named("y", relationship.entity, in: context), forKey: key, at: 2)
            try list.insert(try OrderedModel.named("z", relationship.entity, in: context), forKey: key, at: 99)
            #expect(try OrderedModel.names(list, key) == "xaybcdz")
            try context.save()
            #expect(try OrderedModel.names(list, key) == "xaybcdz")
            return list.objectID
        }
        #expect(try await read(id, key) == "xaybcdz")
        try await background.save { context in
            let list = context.object(with: id)
            let objects = try list.objects(forKey: key)
            try list.insert(objects[5], forKey: key, at: 1)
            #expect(try OrderedModel.names(list, key) == "xdaybcz")
            try list.unlink(objects[3], forKey: key)
            #expect(try OrderedModel.names(list, key) == "xdaycz")
        }
        #expect(try await read(id, key) == "xdaycz")
        try await background.perform { context in
            let list = context.object(with: id)
            let objects = try list.objects(forKey: key)
            try list.setObjects(objects.reversed(), forKey: key)
            try context.save()
            #expect(try OrderedModel.names(list, key) == "zcyadx")
        }
        #expect(try await read(id, key) == "zcyadx")
    }

    @Test func aRemovedMemberComesBackAtTheEnd() async throws {
        let id = try await container.performBackgroundTask { context in
            let list = try fill(context, ("items", "Item"), "abc")
            try context.save()
            let first = try list.objects(forKey: "items")[0]
            try list.unlink(first, forKey: "items")
            #expect(try OrderedModel.names(list, "items") == "bc")
            try first.setValue(.reference(list.uniqueID), forKey: "list")
            #expect(try OrderedModel.names(list, "items") == "bca")
            try context.save()
            return list.objectID
        }
        #expect(try await read(id, "items") == "bca")
    }

    @Test func aRollbackRestoresTheOrder() async throws {
        try await container.performBackgroundTask { context in
            let list = try fill(context, ("items", "Item"), "abc")
            try context.save()
            try list.setObjects(try list.objects(forKey: "items").reversed(), forKey: "items")
            #expect(context.hasChanges && list.isUpdated)
            context.rollback()
            #expect(try OrderedModel.names(list, "items") == "abc")
        }
    }

    @Test func movingOneObjectWritesOnePosition() async throws {
        try await container.performBackgroundTask { context in
            let list = try fill(context, ("items", "Item"), "abcdefgh")
            try context.save()
            let objects = try list.objects(forKey: "items")
            try list.insert(objects[7], forKey: "items", at: 0)
            try context.save()
            // The moved object's row has moved with it, so that a second save of it does not conflict.
            try objects[7].setValue(.string("H"), forKey: "name")
            try context.save()
        }
        let lines = try container.store.localTransactions(from: 2).flatMap { $0 }
        let link = try #require(lines.first { $0.hasPrefix("{\"link\":\"List\"") })
        let positions = try #require(link.components(separatedBy: "\"positions\":[").last)
        #expect(positions.filter { $0 == "\"" }.count == 2, "\(link)")
        #expect(lines.filter { $0.contains("\"positions\"") }.count == 1)
    }

    @Test func replicasReadTheSameOrder() async throws {
        let other = try await OrderedModel.open(folder, "other")
        let id = try await container.save { try fill($0, ("items", "Item"), "ab").objectID }
        try ReplicaExchange.send(from: container.store, to: other.store)
        // Both insert at one place.
        for (replica, name) in [(container, "x"), (other, "y")] {
            try await replica.save { context in
                let list = context.object(with: id)
                try list.insert(try OrderedModel.named(name, "Item", in: context), forKey: "items", at: 1)
            }
        }
        try ReplicaExchange.send(from: container.store, to: other.store)
        try ReplicaExchange.send(from: other.store, to: container.store)
        let here = try await read(id, "items")
        let there = try await other.performBackgroundTask { try OrderedModel.names($0.object(with: id), "items") }
        #expect(here == there && here.count == 4 && here.hasPrefix("a") && here.hasSuffix("b"))
        #expect(try container.store.digest() == other.store.digest())
        // Between the two, whose positions are equal, there is no room: one of them moves.
        try await container.save { context in
            let list = context.object(with: id)
            try list.insert(try OrderedModel.named("m", "Item", in: context), forKey: "items", at: 2)
        }
        let between = try await read(id, "items")
        #expect(Array(between)[2] == "m" && between.filter { $0 != "m" } == here)
    }

    @Test func positionsAreAlwaysBetweenTheirNeighbours() throws {
        var random = SeededGenerator.printingSeed()
        var list: [String] = []
        for _ in 0..<2000 {
            let index = Int.random(in: 0...list.count, using: &random)
            let low = index > 0 ? list[index - 1] : nil
            let high = index < list.count ? list[index] : nil
            let made = try #require(
                PositionMaker.positions(Int.random(in: 1...3, using: &random), after: low, before: high)
            )
            list.insert(contentsOf: made, at: index)
        }
        #expect(zip(list, list.dropFirst()).allSatisfy { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        var last: String?
        for _ in 0..<5000 { last = PositionMaker.positions(1, after: last, before: nil)?.first }
        #expect((last ?? "").utf8.count <= 4, "a list that grows has short positions: \(last ?? "")")
        #expect(PositionMaker.positions(1, after: "a", before: "a") == nil)
        for (low, high) in [("", "0"), ("a", "a0"), ("z", "z00")] {
            let made = PositionMaker.positions(1, after: low, before: high)?.first
            if let made {
                #expect(low.utf8.lexicographicallyPrecedes(made.utf8) && made.utf8.lexicographicallyPrecedes(high.utf8))
            }
        }
    }
}
