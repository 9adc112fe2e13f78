import TestSupport
import Testing
import Tributary
import TributaryStore

/// Relationships of an entity with itself: one-to-one, one-to-many, many-to-many, its own inverse, none.
struct SelfReferenceTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws {
        (folder, container) = try await PersistentContainer.open(
            entities: """
                Person:
                  relationships:
                    partner: {to: Person?, inverse: partner}
                    boss: {to: Person?, inverse: staff}
                    staff: {to: Person, many: true, inverse: boss, delete: Cascade}
                    friends: {to: Person, many: true, inverse: friends}
                    fans: {to: Person, many: true, inverse: idols}
                    idols: {to: Person, many: true, inverse: fans}
                    neighbour: {to: Person?}
                    heir: {to: Person?, inverse: testator}
                    testator: {to: Person?, inverse: heir, delete: Deny}
                """
        )
    }

    private func people(_ count: Int, in context: ManagedObjectContext) throws -> [ManagedObject] {
        try (0..<count).map { _ in try context.insert(entity: "Person") }
    }

    private func set(_ object: ManagedObject, _ key: String, _ target: ManagedObject?) throws {
        try object.setValue(target.map { .reference($0.uniqueID) } ?? .null, forKey: key)
    }

    private func end(_ object: ManagedObject, _ key: String) throws -> Set<ManagedObject> {
        Set(try object.objects(forKey: key))
    }

    @Test func aOneToOneIsSeenFromBothEndsAfterTheSave() async throws {
        try await container.performBackgroundTask { context in
            let (a, b, c) = (
                try people(1, in: context)[0], try people(1, in: context)[0], try people(1, in: context)[0]
            )
            try set(a, "heir", b)
            #expect(try end(b, "testator") == [a])
            try context.save()
            try set(c, "heir", b)
            #expect(try end(a, "heir").isEmpty && end(b, "testator") == [c])
            try context.save()
            #expect(try end(a, "heir").isEmpty && end(b, "testator") == [c] && end(c, "heir") == [b])
            try set(b, "testator", nil)
            try context.save()
            #expect(try end(c, "heir").isEmpty)
        }
    }

    @Test func aDenialInACycleKeepsAllOfIt() async throws {
        try await container.performBackgroundTask { context in
            let all = try people(3, in: context)
            for (one, next) in zip(all, all[1...] + all[..<1]) { try set(one, "heir", next) }
            try context.save()
            context.delete(all[0])
            let error = try #require(throws: ValidationError.self) { try context.save() }
            #expect(error.failures.map(\.rule) == [.denied] && error.failures.map(\.property) == ["testator"])
            context.rollback()
            // Deleting all objects leaves none that could deny it.
            for one in all { context.delete(one) }
            try context.save()
            #expect(try context.count(for: FetchRequest("Person")) == 0)
        }
    }

    @Test func aCascadeGoesDownAndNullifyGoesUp() async throws {
        try await container.performBackgroundTask { context in
            let all = try people(5, in: context)
            for (one, boss) in [(1, 0), (2, 1), (3, 1), (4, 0)] { try set(all[one], "boss", all[boss]) }
            try context.save()
            context.delete(all[1])
            context.processPendingChanges()
            #expect(Set(context.deletedObjects) == [all[1], all[2], all[3]])
            #expect(try end(all[0], "staff") == [all[4]])
            try context.save()
            context.reset()
            #expect(try context.count(for: FetchRequest("Person")) == 2)
            #expect(try context.count(for: FetchRequest("Person", where: "staff.@count == 1")) == 1)
        }
    }

    @Test func aRingOfBossesIsDeletedOnce() async throws {
        try await container.performBackgroundTask { context in
            let all = try people(4, in: context)
            for (one, boss) in zip(all, all[1...] + all[..<1]) { try set(one, "boss", boss) }
            try context.save()
            context.delete(all[2])
            try context.save()
            #expect(try context.count(for: FetchRequest("Person")) == 0)
        }
        let last = try #require(try container.fetchHistory().last)
        let deleted = last.changes.filter { $0.kind == .delete }
        #expect(deleted.count == 4 && Set(deleted.map(\.objectID)).count == 4)
    }

    @Test func itsOwnInverseIsTheSameFromBothSides() async throws {
        try await container.performBackgroundTask { context in
            let all = try people(3, in: context)
            try all[0].link(all[1], forKey: "friends")
            try all[2].link(all[0], forKey: "friends")
            #expect(try end(all[0], "friends") == [all[1], all[2]])
            try context.save()
            context.refreshAllObjects()
            #expect(try end(all[0], "friends") == [all[1], all[2]])
            #expect(try end(all[1], "friends") == [all[0]] && end(all[2], "friends") == [all[0]])
            try all[1].unlink(all[0], forKey: "friends")
            try context.save()
            #expect(try end(all[0], "friends") == [all[2]] && end(all[1], "friends").isEmpty)
            context.delete(all[0])
            try context.save()
            #expect(try end(all[2], "friends").isEmpty)
        }
    }

    @Test func directedPairsKeepTheirDirection() async throws {
        try await container.performBackgroundTask { context in
            let all = try people(2, in: context)
            try all[0].link(all[1], forKey: "fans")
            try context.save()
            #expect(try end(all[0], "fans") == [all[1]] && end(all[0], "idols").isEmpty)
            #expect(try end(all[1], "idols") == [all[0]] && end(all[1], "fans").isEmpty)
            try all[1].link(all[0], forKey: "fans")
            try context.save()
            #expect(try end(all[0], "idols") == [all[1]])
            let both = try FetchRequest("Person", where: "ANY fans.idols.fans.@count == 1")
            #expect(try context.count(for: both) == 2)
        }
    }

    @Test func withoutAnInverseTheOtherEndKnowsNothing() async throws {
        try await container.performBackgroundTask { context in
            let all = try people(2, in: context)
            try set(all[0], "neighbour", all[1])
            try context.save()
            #expect(context.updatedObjects.isEmpty)
            context.delete(all[1])
            try context.save()
            #expect(try end(all[0], "neighbour").isEmpty, "what is not there is not shown")
            #expect(try context.count(for: FetchRequest("Person", where: "neighbour == NULL")) == 1)
        }
    }
}
