import TestSupport
import Testing
import TributaryStore

@testable import Tributary

/// Links that come with positions, as the admin interface takes them, and batches that delete out of an order.
struct GivenPositionTests {
    let folder: TemporaryFolder
    let container: PersistentContainer
    private let list = UniqueID(high: 1, low: 0)

    init() async throws { (folder, container) = try await OrderedModel.open() }

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
