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
    func aListThatWasNeverSavedLeavesItsOrderToNoOtherOneWithItsID(
        _ relationship: (key: String, entity: String)
    ) async throws {
        let key = relationship.key
        let background = container.newBackgroundContext()
        let objects = try await container.save { context in
            try "ab".map { try OrderedModel.named("\($0)", relationship.entity, in: context).objectID }
        }
        let id = try await background.perform { context in
            let list = try context.insert(entity: "List")
            try list.setObjects(objects.map { context.object(with: $0) }, forKey: key)
            try list.setObjects(objects.reversed().map { context.object(with: $0) }, forKey: key)
            context.delete(list)
            context.processPendingChanges()
            return list.objectID
        }
        try await container.save { context in
            let list = try context.insert(entity: "List", id: id.uniqueID)
            try list.setObjects(objects.map { context.object(with: $0) }, forKey: key)
        }
        try await background.perform { context in
            let list = try context.existingObject(with: id)
            #expect(try OrderedModel.names(list, key) == "ab")
        }
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
        let id = try await container.save { context in
            let list = try fill(context, ("items", "Item"), "abc")
            try context.save()
            let first = try list.objects(forKey: "items")[0]
            try list.unlink(first, forKey: "items")
            #expect(try OrderedModel.names(list, "items") == "bc")
            try first.setValue(.reference(list.uniqueID), forKey: "list")
            #expect(try OrderedModel.names(list, "items") == "bca")
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
        try await container.save { context in
            let list = try fill(context, ("items", "Item"), "abcdefgh")
            try context.save()
            let objects = try list.objects(forKey: "items")
            try list.insert(objects[7], forKey: "items", at: 0)
            try context.save()
            // The moved object's row has moved with it, so that a second save of it does not conflict.
            try objects[7].setValue(.string("H"), forKey: "name")
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

    // MARK: Links that come with positions, as the admin interface takes them, and batches that delete out of an order

    private let list = UniqueID(high: 1, low: 0)

    private func id(_ name: Character) -> UniqueID { UniqueID(high: 2, low: UInt64(name.asciiValue ?? 0)) }

    /// A list with objects of these names, linked in this order.
    private func fill(_ names: String, _ key: String, _ entity: String, _ container: PersistentContainer) async throws {
        try await container.save { context in
            let owner = try context.insert(entity: "List", id: list)
            for name in names {
                let object = try context.insert(entity: entity, id: id(name))
                try object.setValue(.string(String(name)), forKey: "name")
                try owner.link(object, forKey: key)
            }
        }
    }

    private func order(_ key: String, _ container: PersistentContainer) async throws -> String {
        try await container.performBackgroundTask { context in
            let owner = try #require(try context.fetch(FetchRequest("List")).first)
            return try OrderedModel.names(owner, key)
        }
    }

    private func positions(_ key: String, _ other: PersistentContainer? = nil) throws -> [String] {
        let entity = try #require(container.model.entity(named: "List"))
        let propertyIndex = try #require(entity.propertyIndex(named: key))
        return try (other ?? container).store.read {
            try $0.positions(of: list, entity: entity, propertyIndex: propertyIndex).map(\.position)
        }
    }

    private func link(_ key: String, _ names: String, _ positions: [String]?) -> ConditionalChange {
        ConditionalChange(
            Change(entity: "List", id: list, operation: .link(to: key, ids: names.map(id), positions: positions))
        )
    }

    private func apply(_ changes: [ConditionalChange]) async throws {
        try await container.save { _ = try $0.apply(changes) }
    }

    @Test(arguments: OrderedRelationshipTests.relationships)
    func givenPositionsAreWrittenAsTheyAre(_ relationship: (key: String, entity: String)) async throws {
        try await fill("abcd", relationship.key, relationship.entity, container)
        // The positions of what is there are a0, a1, a2, a3.
        #expect(try positions(relationship.key) == ["a0", "a1", "a2", "a3"])
        try await apply([link(relationship.key, "da", ["a0V", "a1V"])])
        #expect(try await order(relationship.key, container) == "dbac")
        let places = try positions(relationship.key)
        #expect(places == ["a0V", "a1", "a1V", "a2"])
    }

    @Test(arguments: OrderedRelationshipTests.relationships)
    func newObjectsFindTheirPlaceBetweenTheOthers(_ relationship: (key: String, entity: String)) async throws {
        try await fill("ab", relationship.key, relationship.entity, container)
        let change = Change(
            entity: relationship.entity,
            id: id("x"),
            operation: .insert([PropertyWrite(name: "name", value: .string("x"))])
        )
        try await apply([ConditionalChange(change), link(relationship.key, "x", ["a0V"])])
        #expect(try await order(relationship.key, container) == "axb")
    }

    @Test func theContextShowsTheGivenOrderBeforeTheSave() async throws {
        try await fill("abc", "tags", "Tag", container)
        let change = link("tags", "c", ["Z"])
        try await container.performBackgroundTask { context in
            let ids = try context.apply([change])
            #expect(try OrderedModel.names(context.object(with: ids[0]), "tags") == "cab")
            try context.save()
            #expect(try OrderedModel.names(context.object(with: ids[0]), "tags") == "cab")
        }
    }

    @Test func linksWithoutPositionsGoToTheEnd() async throws {
        try await fill("ab", "tags", "Tag", container)
        let tag = Change(
            entity: "Tag",
            id: id("y"),
            operation: .insert([PropertyWrite(name: "name", value: .string("y"))])
        )
        try await apply([ConditionalChange(tag), link("tags", "y", nil)])
        #expect(try await order("tags", container) == "aby")
    }

    @Test func positionsThatDoNotFitAreRefused() async throws {
        try await fill("ab", "tags", "Tag", container)
        let lists = ConditionalChange(
            Change(entity: "Tag", id: id("a"), operation: .link(to: "lists", ids: [list], positions: ["a"]))
        )
        for change in [link("tags", "ab", ["a"]), lists] {
            let error = await #expect(throws: ChangeError.self) {
                try await container.performBackgroundTask { context in _ = try context.apply([change]) }
            }
            guard case .wrongValue? = error?.reason else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
    }

    // MARK: Batches

    @Test(arguments: OrderedRelationshipTests.relationships)
    func aBatchDeletesOutOfAnOrderAsASaveDoes(_ relationship: (key: String, entity: String)) async throws {
        let second = try TemporaryFolder("positions")
        let other = try await OrderedModel.open(second)
        for container in [container, other] {
            try await fill("abcdef", relationship.key, relationship.entity, container)
        }
        let predicate = try ObjectPredicate(parsing: "name IN {'b', 'c', 'f'}")
        try await container.execute(BatchDeleteRequest(relationship.entity, predicate: predicate))
        try await other.save { context in
            let request = FetchRequest(relationship.entity, predicate: predicate)
            for object in try context.fetch(request) { context.delete(object) }
        }
        #expect(try await order(relationship.key, container) == "ade")
        #expect(try await order(relationship.key, other) == "ade")
        // Later links get positions in the given order.
        for container in [container, other] {
            try await container.save { context in
                let owner = try #require(try context.fetch(FetchRequest("List")).first)
                let object = try OrderedModel.named("n", relationship.entity, in: context)
                try owner.insert(object, forKey: relationship.key, at: 1)
            }
        }
        #expect(try await order(relationship.key, container) == "ande")
        #expect(try await order(relationship.key, other) == "ande")
        #expect(try positions(relationship.key) == positions(relationship.key, other))
    }

    @Test(arguments: OrderedRelationshipTests.relationships)
    func aBatchDeletesTheOwnerOfAnOrder(_ relationship: (key: String, entity: String)) async throws {
        try await fill("abc", relationship.key, relationship.entity, container)
        try await container.execute(BatchDeleteRequest("List"))
        let left = try await container.performBackgroundTask { context in
            try context.fetch(FetchRequest(relationship.entity)).map { object in
                relationship.key == "items" ? try object.value(forKey: "list") : .null
            }
        }
        #expect(left == [.null, .null, .null])
    }
}
