import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges
import TributaryModel

@testable import TributaryStore

/// A losing value is written again as a new change.
@Suite struct ConflictRestorationTests {
    /// A store with one conflict between the changes of writers 2 and 3.
    private func replica(_ first: Change, _ second: Change) throws -> Replica {
        let seen = [ForeignTransaction(1, 1, clock: 1).writer: UInt64(1)]
        let replica = try Replica()
        try replica.apply([
            ForeignTransaction(
                1,
                1,
                clock: 1,
                .insert("Department", 11, ["title": "d"]),
                .insert("Employee", 1, ["name": "a", "nick": "n", "best": 5, "visits": 4, "department": .to(11)]),
                .insert("Project", 31, ["name": "x"]),
                .insert("Tag", 41)
            ), ForeignTransaction(2, 1, clock: 5, seen: seen, first),
            ForeignTransaction(3, 1, clock: 6, seen: seen, second),
        ])
        return replica
    }

    private func change(_ replica: Replica) throws -> Change {
        try replica.store.read { reader in
            let conflict = try #require(try reader.conflicts.conflict(1))
            return try ConflictRestoration(conflict, reader: reader).change()
        }
    }

    private func refusal(_ replica: Replica) throws -> String {
        do {
            return "\(try change(replica))"
        } catch let refusal as ConflictRestoration.Refusal {
            return refusal.reason
        }
    }

    @Test func `a value of a visible object is an update, and stands on every store`() throws {
        let replica = try replica(
            .update("Employee", 1, ["name": "b"]),
            .update("Employee", 1, ["name": "c"])
        )
        let change = try change(replica)
        #expect(change == .update("Employee", 1, ["name": "b"]))
        let committed = try replica.store.write { write in
            try write.commit(LocalTransaction(changes: [change], restoredConflict: 1))
        }
        #expect(try replica.values("Employee", .sample(1))?["name"] == .string("b"))
        #expect(try replica.store.read { try $0.conflicts.conflict(1)?.restored } == committed.number)
    }

    @Test func `an edit that a deletion took away brings the object back with the values that were there`() throws {
        let replica = try replica(.update("Employee", 1, ["name": "b"]), .delete("Employee", 1))
        let change = try change(replica)
        #expect(
            change
                == .insert("Employee", 1, ["best": 5, "department": .to(11), "name": "b", "nick": "n"])
        )
        try replica.commit(change)
        let values = try #require(try replica.values("Employee", .sample(1)))
        #expect(values["name"] == .string("b") && values["nick"] == .string("n") && values["visits"] == .integer(4))
    }

    @Test func `a late edit brings the object back with what is known of it`() throws {
        let replica = try replica(.delete("Employee", 1), .update("Employee", 1, ["name": "b"]))
        #expect(try change(replica) == .insert("Employee", 1, ["best": 5, "name": "b"]))
    }

    @Test func `a link is linked again`() throws {
        let replica = try replica(
            .link("Project", 31, "people", [1]),
            .unlink("Project", 31, "people", [1])
        )
        #expect(try change(replica) == .link("Employee", 1, "projects", [31]))
    }

    @Test func `what cannot be restored says why`() throws {
        let extreme = try replica(.update("Employee", 1, ["best": 8]), .update("Employee", 1, ["best": 9]))
        #expect(try refusal(extreme).contains("merge rule max"))
        let gone = try replica(.update("Employee", 1, ["name": "b"]), .update("Employee", 1, ["name": "c"]))
        try gone.commit(.delete("Employee", 1))
        #expect(try refusal(gone).hasSuffix("is deleted; only an edit that its deletion has taken away brings it back"))
        let end = try replica(.link("Project", 31, "tags", [41], at: ["m"]), .delete("Tag", 41))
        #expect(try refusal(end).contains("the other end of the link, Tag"))
        #expect(try end.store.read { try $0.conflicts.conflict(2) } == nil)
    }
}
