import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges
import TributaryModel

@testable import TributaryStore

/// Each merge rule, named by the interleaving; all orders of arrival must end in equal whole stores.
@Suite struct MergeRuleTests {
    /// Applies the transactions of different writers to new stores in every order.
    ///
    /// The function compares the stores as a whole and returns the last one.
    private func merge(_ transactions: [ForeignTransaction], slice: Int = .max) throws -> Replica {
        var dumps: Set<String> = []
        var last: Replica?
        for order in transactions.permutationsInSequence {
            let replica = try Replica()
            for transaction in order { try replica.apply(transaction, slice: slice) }
            dumps.insert(try replica.dump())
            last = replica
        }
        #expect(dumps.count == 1, "\(dumps.joined(separator: "\n---\n"))")
        return try #require(last)
    }

    @Test func `two updates of one property: the greater clock wins, at a tie the greater writer`() throws {
        let insert = ForeignTransaction(1, 1, clock: 1, .insert("Person", 1, ["name": "a", "nick": "x"]))
        let later = ForeignTransaction(2, 1, clock: 5, .update("Person", 1, ["name": "later"]))
        let tied = ForeignTransaction(3, 1, clock: 5, .update("Person", 1, ["name": "tied", "nick": "y"]))
        let replica = try merge([insert, later, tied])
        let values = try #require(try replica.values("Person", .sample(1)))
        #expect(values["name"] == .string("tied"))
        #expect(values["nick"] == .string("y"))
    }

    @Test func `updates of different properties both stand`() throws {
        let replica = try merge([
            ForeignTransaction(1, 1, clock: 1, .insert("Person", 1, ["name": "a", "nick": "x"])),
            ForeignTransaction(2, 1, clock: 2, .update("Person", 1, ["name": "b"])),
            ForeignTransaction(3, 1, clock: 3, .update("Person", 1, ["nick": "y"])),
        ])
        let values = try #require(try replica.values("Person", .sample(1)))
        #expect(values["name"] == .string("b"))
        #expect(values["nick"] == .string("y"))
    }

    @Test func `an update after a delete does not bring the object back, an insert does with what came after`() throws {
        let base = [
            ForeignTransaction(1, 1, clock: 1, .insert("Person", 1, ["name": "old", "nick": "old"])),
            ForeignTransaction(2, 1, clock: 4, .delete("Person", 1)),
            ForeignTransaction(3, 1, clock: 6, .update("Person", 1, ["name": "after"])),
        ]
        #expect(try merge(base).values("Person", .sample(1)) == nil)
        let replica = try merge(base + [ForeignTransaction(4, 1, clock: 5, .insert("Person", 1))])
        let values = try #require(try replica.values("Person", .sample(1)))
        #expect(values["name"] == .string("after"))
        #expect(values["nick"] == .string("none"), "void reads as the default")
    }

    @Test func `a concurrent older delete takes only what was written before it`() throws {
        let replica = try merge([
            ForeignTransaction(1, 1, clock: 1, .insert("Person", 1, ["name": "old", "nick": "old"])),
            ForeignTransaction(2, 1, clock: 3, .delete("Person", 1)),
            ForeignTransaction(3, 1, clock: 5, .insert("Person", 1, ["name": "new"])),
        ])
        let values = try #require(try replica.values("Person", .sample(1)))
        #expect(values["name"] == .string("new"))
        #expect(values["nick"] == .string("none"))
    }

    @Test func `after the deletions of a transaction its last write of a property stands, whatever the slices`() throws
    {
        for slice in [1, 2, 10] {
            let replica = try merge(
                [
                    ForeignTransaction(
                        1,
                        1,
                        clock: 2,
                        .delete("Person", 1),
                        .delete("Person", 2),
                        .insert("Person", 1, ["name": "first", "nick": "first"]),
                        .update("Person", 1, ["name": "second"]),
                        .insert("Person", 1, ["nick": "third"])
                    ),
                    ForeignTransaction(2, 1, clock: 1, .insert("Person", 1, ["nick": "older"])),
                    ForeignTransaction(3, 1, clock: 1, .insert("Person", 2, ["name": "older"])),
                ],
                slice: slice
            )
            let values = try #require(try replica.values("Person", .sample(1)))
            #expect(values["name"] == .string("second"))
            #expect(values["nick"] == .string("third"))
            #expect(try replica.values("Person", .sample(2)) == nil)
        }
    }

    @Test func `two inserts of one ID are one object of the later one's entity`() throws {
        let replica = try merge([
            ForeignTransaction(1, 1, clock: 1, .insert("Employee", 1, ["name": "a", "salary": 3.5])),
            ForeignTransaction(2, 1, clock: 2, .insert("Person", 1, ["nick": "n"])),
            ForeignTransaction(3, 1, clock: 3, .update("Employee", 1, ["salary": 4.5])),
        ])
        let values = try #require(try replica.values("Person", .sample(1)))
        #expect(values["name"] == .string("a"))
        #expect(values["salary"] == nil)
        let again = try merge([
            ForeignTransaction(1, 1, clock: 1, .insert("Person", 1, ["name": "a"])),
            ForeignTransaction(2, 1, clock: 2, .insert("Employee", 1, ["nick": "n"])),
            ForeignTransaction(3, 1, clock: 3, .update("Employee", 1, ["salary": 4.5])),
        ])
        #expect(try again.values("Person", .sample(1))?["salary"] == .double(4.5))
    }

    @Test func `a written default and no write are distinguished`() throws {
        let written = try Replica()
        try written.apply(ForeignTransaction(1, 1, clock: 1, .insert("Person", 1, ["nick": "none"])))
        let left = try Replica()
        try left.apply(ForeignTransaction(1, 1, clock: 1, .insert("Person", 1)))
        #expect(try written.values("Person", .sample(1)) == left.values("Person", .sample(1)))
        #expect(try written.digest() != left.digest())
    }

    @Test func `greatest, least and counted values outlive deletes`() throws {
        let replica = try merge([
            ForeignTransaction(1, 1, clock: 1, .insert("Employee", 1, ["best": 5, "least": 5, "visits": 2])),
            ForeignTransaction(2, 1, clock: 2, .update("Employee", 1, ["best": 9, "visits": .increment(10)])),
            ForeignTransaction(3, 1, clock: 3, .delete("Employee", 1)),
            ForeignTransaction(
                4,
                1,
                clock: 4,
                .insert("Employee", 1, ["best": 1, "least": 7, "visits": 100]),
                .update("Employee", 1, ["visits": .increment(-1)])
            ),
        ])
        let values = try #require(try replica.values("Employee", .sample(1)))
        #expect(values["best"] == .integer(9))
        #expect(values["least"] == .date(5))
        #expect(values["visits"] == .integer(111))
    }

    @Test func `a plain value for a counter in an update is deferred`() throws {
        let replica = try Replica()
        try replica.apply(ForeignTransaction(1, 1, clock: 1, .insert("Employee", 1, ["visits": 2])))
        let committed = try replica.apply(ForeignTransaction(1, 2, clock: 2, .update("Employee", 1, ["visits": 9])))
        #expect(committed.deferredCount == 1)
        #expect(try replica.values("Employee", .sample(1))?["visits"] == .integer(2))
    }

    /// What `tributaryctl segment verify` calls a fault is deferred, and nothing else.
    @Test(
        arguments: [
            (.integer(5), true), (JSONValue(increment: .integer(5)), true), (.string("5"), false),
            (
                .object([JSONMember(key: "increment", value: .integer(5)), JSONMember(key: "more", value: .null)]),
                false
            ),
            (JSONValue(increment: .string("5")), false),
        ] as [(JSONValue, Bool)]
    ) func `a counter takes increments, and a plain number in an insert`(value: JSONValue, inInsert: Bool) throws {
        for isInsert in [true, false] {
            let isTaken = inInsert && (isInsert || value.increment != nil)
            let replica = try Replica()
            try replica.apply(ForeignTransaction(1, 1, clock: 1, .insert("Employee", 1, ["visits": 2])))
            let write: KeyValuePairs<String, JSONValue> = ["visits": value]
            let change = isInsert ? Change.insert("Employee", 1, write) : .update("Employee", 1, write)
            let committed = try replica.apply(ForeignTransaction(1, 2, clock: 2, change))
            #expect(committed.deferredCount == (isTaken ? 0 : 1))
            #expect(try replica.values("Employee", .sample(1))?["visits"] == .integer(isTaken ? 7 : 2))
            let reason = try #require(replica.store.model.entity(named: "Employee"))
                .deferralReason(of: PropertyWrite(name: "visits", value: value), isInsert: isInsert)
            #expect((reason == nil) == isTaken, "\(reason ?? "no reason")")
        }
    }

    @Test func `a transaction that is not the writer's next is refused`() throws {
        let replica = try Replica()
        let first = ForeignTransaction(1, 1, clock: 1, .insert("Tag", 1))
        try replica.apply(first)
        let dump = try replica.dump()
        #expect(throws: StoreError.self) { try replica.apply(first) }
        #expect(throws: StoreError.self) { try replica.apply(ForeignTransaction(1, 3, clock: 9, .delete("Tag", 1))) }
        #expect(try replica.dump() == dump)
    }
}
