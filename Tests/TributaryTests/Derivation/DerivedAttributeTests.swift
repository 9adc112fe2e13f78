import TestSupport
import Testing
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

    @Test func derivedValuesFollowTheChanges() async throws {
        let id = try await container.performBackgroundTask { context in
            let team = try context.insert("Team", ["name": .string("Blue")])
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
        #expect(try container.store.digest() == other.store.digest())
    }

    @Test func aDerivedAttributeCannotBeAssigned() async throws {
        try await container.performBackgroundTask { context in
            let member = try context.insert(entity: "Member")
            #expect(throws: ContextError.self) { try member.setValue(.string("x"), forKey: "key") }
        }
    }

    @Test(arguments: ["", "a.b.c.d", "@count", "sum:(x)", "foo:(name)", "lowercase:name"])
    func textsThatAreNoExpressionAreNotUnderstood(_ text: String) {
        #expect(Derivation(text) == nil)
    }

    private static let sums: [(pays: [Int64], short: PropertyValue, long: PropertyValue, exact: String)] = [
        ([1, 2], .integer(3), .integer(3), "3"),
        ([32_767], .integer(32_767), .integer(32_767), "32767"),
        ([32_767, 1], .null, .integer(32_768), "32768"),
        ([.max], .null, .integer(.max), "9223372036854775807"),
        ([.max, 1], .null, .null, "9223372036854775808"),
        ([.min, -1], .null, .null, "-9223372036854775809"),
        ([.max, .max, .max, .max], .null, .null, "36893488147419103228"),
    ]

    @Test func aSumThatDoesNotFitIsNone() async throws {
        for (pays, short, long, exact) in Self.sums {
            try await container.performBackgroundTask { context in
                let team = try context.insert(entity: "Team")
                // Something that fits is there before.
                let first = try context.insert("Member", ["points": .integer(7)])
                try team.link(first, forKey: "members")
                try context.save()
                #expect(try team.value(forKey: "shortSum") == .integer(7))
                context.delete(first)
                for pay in pays {
                    let member = try context.insert("Member", ["points": .integer(pay)])
                    try team.link(member, forKey: "members")
                }
                try context.save()
                #expect(try team.value(forKey: "shortSum") == short, "\(pays)")
                #expect(try team.value(forKey: "longSum") == long, "\(pays)")
                #expect(try team.value(forKey: "leastPoints") == .integer(pays.min() ?? 0), "\(pays)")
                #expect(try team.value(forKey: "exactSum") == .decimal(exact), "\(pays)")
            }
        }
    }
}
