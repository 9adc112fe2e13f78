import TestSupport
import Testing
import TributaryChanges
import TributaryStore

@testable import Tributary

/// Derived attributes: computed in the save, written as changes, seen by the objects that depend on them.
struct DerivedAttributeTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws {
        folder = try TemporaryFolder("derived")
        container = try await DerivedModel.open(folder)
    }

    @Test
    func derivedValuesFollowTheChanges() async throws {
        let id = try await container.performBackgroundTask { context in
            let team = try context.insert(entity: "Team")
            try team.setValue(.string("Blue"), forKey: "name")
            var members: [ManagedObject] = []
            for (name, pay) in [("Ève", 3.0), ("Bob", 5.5)] {
                let member = try context.insert(entity: "Member")
                try member.setValue(.string(name), forKey: "name")
                try member.setValue(.double(pay), forKey: "pay")
                try member.setValue(.reference(team.uniqueID), forKey: "team")
                members.append(member)
            }
            try context.save()
            #expect(try team.value(forKey: "size") == .integer(2))
            #expect(try team.value(forKey: "total") == .double(8.5))
            #expect(try team.value(forKey: "least") == .double(3))
            #expect(try team.value(forKey: "most") == .double(5.5))
            #expect(try members[0].value(forKey: "key") == .string("eve"))
            #expect(try members[0].value(forKey: "loud") == .string("ÈVE"))
            #expect(try members[0].value(forKey: "quiet") == .string("ève"))
            #expect(try members[0].value(forKey: "teamName") == .string("Blue"))
            #expect(try members[0].value(forKey: "changed") != .null)
            #expect(!context.hasChanges)
            // The change is on the other side of the relationship.
            try team.setValue(.string("Red"), forKey: "name")
            try context.save()
            #expect(try members[1].value(forKey: "teamName") == .string("Red"))
            try members[1].setValue(.double(10), forKey: "pay")
            try context.save()
            #expect(try team.value(forKey: "total") == .double(13))
            context.delete(members[0])
            try context.save()
            #expect(try team.value(forKey: "size") == .integer(1))
            #expect(try team.value(forKey: "least") == .double(10))
            try members[1].setValue(.null, forKey: "team")
            try context.save()
            #expect(try team.value(forKey: "size") == .integer(0))
            #expect(try team.value(forKey: "most") == .null)
            #expect(try members[1].value(forKey: "teamName") == .null)
            return team.objectID
        }
        // Replay derives nothing: the values came as changes.
        let other = try await DerivedModel.open(folder, "other", seed: 1)
        try ReplicaExchange.send(from: container.store, to: other.store)
        #expect(try await other.performBackgroundTask { try $0.object(with: id).value(forKey: "size") } == .integer(0))
        let digests = try [container, other].map { try $0.store.read { try $0.mergeState.digest().digest } }
        #expect(digests[0] == digests[1])
    }

    @Test
    func aDerivedAttributeCannotBeAssigned() async throws {
        try await container.performBackgroundTask { context in
            let member = try context.insert(entity: "Member")
            #expect(throws: ContextError.self) { try member.setValue(.string("x"), forKey: "key") }
        }
    }

    @Test(arguments: ["", "a.b.c.d", "@count", "sum:(x)", "foo:(name)", "lowercase:name"])
    func textsThatAreNoExpressionAreNotUnderstood(_ text: String) {
        #expect(Derivation(text) == nil)
    }
}
