import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges
import TributaryModel

@testable import TributaryStore

@Suite struct RelationshipMergeTests {
    @Test func `a reference reads nil while its target is not visible, and again when it is`() throws {
        let replica = try Replica()
        try replica.apply(ForeignTransaction(1, 1, clock: 1, .insert("Employee", 1, ["department": .to(11)])))
        #expect(try replica.values("Employee", .sample(1))?["department"] == .null)
        let appeared = try replica.apply(ForeignTransaction(2, 1, clock: 1, .insert("Department", 11)))
        #expect(try replica.values("Employee", .sample(1))?["department"] == .reference(.sample(11)))
        #expect(appeared.changes.updated.map(\.uniqueID) == [.sample(1)])
        let gone = try replica.apply(ForeignTransaction(2, 2, clock: 2, .delete("Department", 11)))
        #expect(try replica.values("Employee", .sample(1))?["department"] == .null)
        #expect(gone.changes.updated.map(\.uniqueID) == [.sample(1)])
        try replica.apply(ForeignTransaction(3, 1, clock: 3, .insert("Department", 11)))
        #expect(try replica.values("Employee", .sample(1))?["department"] == .reference(.sample(11)))
    }

    @Test func `linking to a to-many with a to-one inverse writes the inverse`() throws {
        let replica = try Replica()
        try replica.apply(
            ForeignTransaction(
                1,
                1,
                clock: 1,
                .link("Department", 11, "employees", [1, 2]),
                .insert("Employee", 1),
                .insert("Employee", 2),
                .insert("Department", 11)
            )
        )
        #expect(try replica.values("Employee", .sample(1))?["department"] == .reference(.sample(11)))
        try replica.apply(ForeignTransaction(1, 2, clock: 2, .unlink("Department", 11, "employees", [1])))
        #expect(try replica.values("Employee", .sample(1))?["department"] == .null)
        #expect(try replica.values("Employee", .sample(2))?["department"] == .reference(.sample(11)))
    }

    @Test func `of two owners of a one-to-one target the greater version is shown, until it is deleted`() throws {
        let replica = try Replica()
        try replica.apply(ForeignTransaction(1, 1, clock: 1, .insert("Person", 1)))
        try replica.apply(ForeignTransaction(2, 1, clock: 5, .insert("Passport", 21, ["owner": .to(1)])))
        try replica.apply(ForeignTransaction(3, 1, clock: 4, .insert("Passport", 22, ["owner": .to(1)])))
        #expect(try replica.values("Passport", .sample(21))?["owner"] == .reference(.sample(1)))
        #expect(try replica.values("Passport", .sample(22))?["owner"] == .null)
        #expect(try replica.values("Person", .sample(1))?["passport"] == .reference(.sample(21)))
        try replica.apply(ForeignTransaction(1, 2, clock: 6, .delete("Passport", 21)))
        #expect(try replica.values("Passport", .sample(22))?["owner"] == .reference(.sample(1)))
        #expect(try replica.values("Person", .sample(1))?["passport"] == .reference(.sample(22)))
        try replica.apply(ForeignTransaction(1, 3, clock: 7, .update("Passport", 22, ["owner": .null])))
        #expect(try replica.values("Person", .sample(1))?["passport"] == .null)
    }

    @Test func `writing the far side of a one-to-one writes the near side, clearing it here lets the holder go`() throws
    {
        let replica = try Replica()
        try replica.commit(
            .insert("Person", 1, ["passport": .to(21)]),
            .insert("Passport", 21, ["number": 7])
        )
        #expect(try replica.values("Passport", .sample(21))?["owner"] == .reference(.sample(1)))
        #expect(try replica.values("Person", .sample(1))?["passport"] == .reference(.sample(21)))
        try replica.commit(.update("Person", 1, ["passport": .null]))
        #expect(try replica.values("Passport", .sample(21))?["owner"] == .null)
        let lines = try replica.localTransactions(from: 2)
        #expect(lines.count == 1)
        #expect(lines.first?.contains("{\"update\":\"Passport\"") == true, "what peers apply is explicit")
    }

    @Test func `pairs are visible while both ends are, and superseded when an end was deleted later`() throws {
        let replica = try Replica()
        try replica.apply(ForeignTransaction(1, 1, clock: 3, .link("Project", 31, "people", [1, 2])))
        try replica.apply(
            ForeignTransaction(1, 2, clock: 4, .insert("Person", 1), .insert("Person", 2), .insert("Project", 31))
        )
        #expect(try replica.related("Project", 31, "people") == [1, 2])
        try replica.apply(ForeignTransaction(2, 1, clock: 5, .delete("Person", 1)))
        #expect(try replica.related("Project", 31, "people") == [2])
        try replica.apply(ForeignTransaction(2, 2, clock: 6, .insert("Person", 1)))
        #expect(try replica.related("Project", 31, "people") == [2], "the delete made the link void")
        try replica.apply(ForeignTransaction(3, 1, clock: 4, .unlink("Person", 2, "projects", [31])))
        #expect(try replica.related("Project", 31, "people") == [])
        try replica.apply(ForeignTransaction(2, 3, clock: 7, .link("Person", 1, "projects", [31])))
        #expect(try replica.related("Project", 31, "people") == [1])
    }

    @Test func `a deletion of an end supersedes earlier links, and none of its own transaction`() throws {
        for slice in [1, 10] {
            let replica = try Replica()
            try replica.apply(
                ForeignTransaction(
                    1,
                    1,
                    clock: 1,
                    .insert("Person", 1),
                    .insert("Project", 31),
                    .link("Project", 31, "people", [1])
                )
            )
            let again: [Change] = [.delete("Person", 1), .insert("Person", 1)]
            try replica.apply(ForeignTransaction(1, 2, clock: 2, again), slice: slice)
            #expect(try replica.related("Project", 31, "people") == [])
            let link = Change.link("Project", 31, "people", [1])
            try replica.apply(ForeignTransaction(1, 3, clock: 3, again + [link]), slice: slice)
            #expect(try replica.related("Project", 31, "people") == [1])
        }
    }

    @Test func `positions order a relationship by bytes`() throws {
        let replica = try Replica()
        try replica.commit(
            .insert("Project", 31),
            .insert("Tag", 41),
            .insert("Tag", 42),
            .link("Project", 31, "tags", [41, 42], at: ["b", "a"])
        )
        #expect(try replica.related("Project", 31, "tags") == [42, 41])
        try replica.commit(.link("Project", 31, "tags", [42], at: ["c"]))
        #expect(try replica.related("Project", 31, "tags") == [41, 42])
    }
}
