import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges
import TributaryModel

@testable import TributaryStore

/// The conflict journal, each case named by the two writes; writers 2 and 3 have seen the insert of writer 1.
@Suite struct ConflictJournalTests {
    private static let writer = (1...3).map { ForeignTransaction($0, 1, clock: 1).writer }
    private static let sawInsert: [UniqueID: UInt64] = [writer[0]: 1]

    private static let inserted = ForeignTransaction(
        1,
        1,
        clock: 1,
        .insert("Employee", 1, ["name": "a", "nick": "n", "best": 5, "least": 5, "visits": 1]),
        .insert("Person", 2, ["name": "p"]),
        .insert("Passport", 21, ["number": 1]),
        .insert("Project", 31, ["name": "x"]),
        .insert("Tag", 41)
    )

    private func write(
        _ writer: Int,
        clock: UInt64,
        seen: [UniqueID: UInt64] = sawInsert,
        _ changes: Change...
    ) -> ForeignTransaction {
        write(writer, clock: clock, seen: seen, changes)
    }

    private func write(
        _ writer: Int,
        clock: UInt64,
        seen: [UniqueID: UInt64] = sawInsert,
        _ changes: [Change]
    ) -> ForeignTransaction {
        ForeignTransaction(writer, 1, clock: clock, seen: seen, changes)
    }

    /// Applies both writes to two stores, in both orders, and compares what the journals have.
    private func expectJournals(
        _ expected: [String],
        _ first: ForeignTransaction,
        _ second: ForeignTransaction,
        after base: [ForeignTransaction] = [inserted],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for order in [[first, second], [second, first]] {
            let replica = try Replica()
            try replica.apply(base + order)
            #expect(try replica.journal() == expected, "\(order)", sourceLocation: sourceLocation)
            try replica.reopen()
            #expect(try replica.journal() == expected, "after a restart", sourceLocation: sourceLocation)
        }
    }

    // MARK: Properties

    @Test func `of two concurrent writes the lesser version is kept`() throws {
        try expectJournals(
            [#"latest Employee.name 1: "b" of 2/1 lost to "c" of 3/1"#],
            write(2, clock: 5, .update("Employee", 1, ["name": "b"])),
            write(3, clock: 6, .update("Employee", 1, ["name": "c"]))
        )
    }

    @Test func `of two inserts of one object each different value is kept`() throws {
        try expectJournals(
            [#"latest Person.name 9: "b" of 2/1 lost to "c" of 3/1"#],
            write(2, clock: 5, .insert("Person", 9, ["name": "b", "nick": "same"])),
            write(3, clock: 6, .insert("Person", 9, ["name": "c", "nick": "same"]))
        )
    }

    @Test func `writes of unknown and of deleted objects conflict as those of visible ones`() throws {
        try expectJournals(
            [#"latest Person.name 9: "b" of 2/1 lost to "c" of 3/1"#],
            write(2, clock: 5, .update("Person", 9, ["name": "b"])),
            write(3, clock: 6, .update("Person", 9, ["name": "c"]))
        )
    }

    /// Who inserted an object has not seen what others wrote to it, whether it is visible or another one has its key.
    @Test(arguments: ["its own", "taken"]) func `the inserter's next write meets the other's`(_ key: String) throws {
        let replica = try Replica.withUniqueKeys()
        try replica.apply([
            ForeignTransaction(1, 1, clock: 1, .insert("Person", 1, ["email": "taken"])),
            ForeignTransaction(2, 1, clock: 2, .insert("Person", 2, ["email": .string(key), "name": "a"])),
            ForeignTransaction(1, 2, clock: 3, .update("Person", 2, ["name": "b"])),
            ForeignTransaction(2, 2, clock: 4, .update("Person", 2, ["name": "c"])),
        ])
        let found = try replica.journal().filter { $0.hasPrefix("latest") }
        #expect(found == [#"latest Person.name 2: "b" of 1/2 lost to "c" of 2/2"#])
    }

    @Test func `a write that has seen the other one is no conflict`() throws {
        let replica = try Replica()
        try replica.apply([
            Self.inserted, write(2, clock: 5, .update("Employee", 1, ["name": "b"])),
            write(3, clock: 6, seen: [Self.writer[1]: 1], .update("Employee", 1, ["name": "c"])),
        ])
        #expect(try replica.journal() == [])
    }

    @Test func `equal values, other properties and counters are no conflict`() throws {
        try expectJournals(
            [],
            write(2, clock: 5, .update("Employee", 1, ["name": "b", "nick": "x", "visits": .increment(2)])),
            write(3, clock: 6, .update("Employee", 1, ["name": "b", "salary": 2, "visits": .increment(3)]))
        )
    }

    @Test func `under max and min the value that does not stand is kept, whatever its version`() throws {
        try expectJournals(
            ["max Employee.best 1: 7 of 3/1 lost to 9 of 2/1", "min Employee.least 1: 3.0 of 3/1 lost to 2.0 of 2/1"],
            write(2, clock: 5, .update("Employee", 1, ["best": 9, "least": 2])),
            write(3, clock: 6, .update("Employee", 1, ["best": 7, "least": 3]))
        )
    }

    @Test func `a producer that never acknowledges loses values to the journal and takes none there`() throws {
        let early = write(2, clock: 5, .update("Employee", 1, ["name": "b"]))
        let producer = write(3, clock: 6, seen: [:], .update("Employee", 1, ["name": "c"]))
        let over = try Replica()
        try over.apply([Self.inserted, early, producer])
        #expect(try over.journal() == [])
        let late = try Replica()
        try late.apply([
            Self.inserted, write(2, clock: 7, .update("Employee", 1, ["name": "b"])), producer,
        ])
        #expect(try late.journal() == [#"latest Employee.name 1: "c" of 3/1 lost to "b" of 2/1"#])
    }

    @Test func `a writer that has seen nobody yet conflicts in its own objects`() throws {
        try expectJournals(
            [#"latest Employee.name 1: "b" of 2/1 lost to "own" of 1/2"#],
            write(2, clock: 5, .update("Employee", 1, ["name": "b"])),
            ForeignTransaction(1, 2, clock: 6, .update("Employee", 1, ["name": "own"]))
        )
    }

    @Test func `what a later transaction acknowledges does not count for an earlier one of the same import`() throws {
        let replica = try Replica()
        try replica.apply(together: [
            Self.inserted, write(2, clock: 5, .update("Employee", 1, ["name": "b", "nick": "b"])),
            write(3, clock: 6, .update("Employee", 1, ["name": "c"])),
            ForeignTransaction(3, 2, clock: 7, seen: [Self.writer[1]: 1], .update("Employee", 1, ["nick": "c"])),
        ])
        #expect(try replica.journal() == [#"latest Employee.name 1: "b" of 2/1 lost to "c" of 3/1"#])
    }

    // MARK: Local writes

    @Test func `a local write has seen what is applied; a remote one says whether it has seen the local one`() throws {
        let replica = try Replica()
        try replica.apply([Self.inserted, write(2, clock: 5, .update("Employee", 1, ["name": "b"]))])
        try replica.commit(.update("Employee", 1, ["name": "local", "nick": "local"]))
        let own = try replica.store.read { try $0.writers.own().id }
        #expect(try replica.journal() == [])
        let later: UInt64 = 200_000_000
        try replica.apply([
            write(3, clock: later, .update("Employee", 1, ["name": "c"])),
            ForeignTransaction(3, 2, clock: later + 1, seen: [own: 1], .update("Employee", 1, ["nick": "c"])),
        ])
        #expect(try replica.journal() == [#"latest Employee.name 1: "local" of self/1 lost to "c" of 3/1"#])
    }

    // MARK: Deletions

    /// Whether the object was inserted, or is one that nobody has inserted.
    @Test(arguments: [("Employee", 1), ("Person", 9)])
    func `an edit that a concurrent deletion takes away is kept, whichever is newer`(_ entity: String, _ id: Int) throws
    {
        for clock: UInt64 in [5, 7] {
            try expectJournals(
                [#"deletion \#(entity).name \#(id): "b" of 2/1 lost to deletion of 3/1"#],
                write(2, clock: clock, .update(entity, id, ["name": "b"])),
                write(3, clock: 6, .delete(entity, id))
            )
        }
    }

    @Test func `a deletion that has seen the edit is no conflict`() throws {
        let replica = try Replica()
        try replica.apply([
            Self.inserted, write(2, clock: 5, .update("Employee", 1, ["name": "b"])),
            write(3, clock: 6, seen: [Self.writer[0]: 1, Self.writer[1]: 1], .delete("Employee", 1)),
        ])
        #expect(try replica.journal() == [])
    }

    @Test func `an insert that survives a concurrent deletion loses only what is older`() throws {
        try expectJournals(
            [#"deletion Employee.nick 1: "b" of 2/1 lost to deletion of 3/1"#],
            write(2, clock: 5, .update("Employee", 1, ["nick": "b"])),
            write(3, clock: 6, .delete("Employee", 1), .insert("Employee", 1, ["name": "new"]))
        )
    }

    // MARK: Relationships

    @Test func `a link and a concurrent unlink are kept as what they were`() throws {
        let linked = ForeignTransaction(
            1,
            1,
            clock: 1,
            Self.inserted.changes + [.link("Project", 31, "people", [1])]
        )
        let project = JSONValue.to(31).text
        try expectJournals(
            [#"latest Person.projects 1: {"unlink":\#(project)} of 2/1 lost to {"link":\#(project)} of 3/1"#],
            write(2, clock: 5, .unlink("Person", 1, "projects", [31])),
            write(3, clock: 6, .link("Project", 31, "people", [1])),
            after: [linked]
        )
    }

    @Test func `of two positions of one pair the lesser version is kept`() throws {
        let tag = JSONValue.to(41).text
        try expectJournals(
            [
                #"latest Project.tags 31: {"link":\#(tag),"position":"b"} of 2/1 lost to "#
                    + #"{"link":\#(tag),"position":"c"} of 3/1"#
            ],
            write(2, clock: 5, .link("Project", 31, "tags", [41], at: ["b"])),
            write(3, clock: 6, .link("Project", 31, "tags", [41], at: ["c"]))
        )
    }

    @Test func `a link to an object that is deleted at the same time is kept`() throws {
        let tag = JSONValue.to(41).text
        for clock: UInt64 in [5, 7] {
            try expectJournals(
                [#"deletion Project.tags 31: {"link":\#(tag),"position":"b"} of 2/1 lost to deletion of 3/1"#],
                write(2, clock: clock, .link("Project", 31, "tags", [41], at: ["b"])),
                write(3, clock: 6, .delete("Tag", 41))
            )
        }
    }

    @Test func `of two values of one register in a one-to-one relationship the lesser version is kept`() throws {
        let (first, second) = (JSONValue.to(1).text, JSONValue.to(2).text)
        try expectJournals(
            ["latest Passport.owner 21: \(first) of 2/1 lost to \(second) of 3/1"],
            write(2, clock: 5, .update("Person", 1, ["passport": .to(21)])),
            write(3, clock: 6, .update("Person", 2, ["passport": .to(21)]))
        )
    }

    @Test func `of two claims of a one-to-one target the one that reads nil is kept`() throws {
        let (target, owner) = (JSONValue.to(1).text, JSONValue.to(22).text)
        try expectJournals(
            ["one-to-one Passport.owner 21: \(target) of 2/1 lost to \(owner) of 3/1"],
            write(2, clock: 5, .update("Passport", 21, ["owner": .to(1)])),
            write(3, clock: 6, .insert("Passport", 22, ["owner": .to(1)]))
        )
    }

    // MARK: Size

    @Test(.timeLimit(.minutes(10))) func `the journal is bounded, and counts what it does not keep`() throws {
        let replica = try Replica()
        let limit = Int(ConflictTable.rowLimit)
        let extra = ConflictTable.replacementLimit + 50
        let ids = 1_000..<(1_000 + limit + extra)
        try replica.apply([
            ForeignTransaction(1, 1, clock: 1, ids.map { .insert("Tag", $0, ["isOn": .boolean(true)]) }),
            write(2, clock: 5, ids.map { .update("Tag", $0, ["isOn": .boolean(false)]) }),
            write(3, clock: 6, ids.map { .update("Tag", $0, ["isOn": .boolean(true)]) }),
        ])
        let counts = try replica.store.read { try $0.conflicts.counts() }
        #expect(counts == ConflictCounts(kept: limit, dropped: extra))
        let kept = try replica.store.read { try $0.conflicts.page(limit: 20_000).found }
        #expect(kept.map(\.number) == Array(Int64(ConflictTable.replacementLimit + 1)...Int64(limit + extra - 50)))
        try replica.reopen()
        try replica.apply(ForeignTransaction(2, 2, clock: 7, .update("Tag", 1_000, ["isOn": .boolean(false)])))
        let more = try replica.store.read { try $0.conflicts.counts() }
        #expect(more == ConflictCounts(kept: limit, dropped: extra + 1))
    }

    @Test func `long values are bounded together`() throws {
        let text = JSONValue.string(String(repeating: "x", count: ConflictTable.valueLimit - 2))
        let replica = try Replica()
        let ids = 1_000..<1_040
        try replica.apply([
            ForeignTransaction(1, 1, clock: 1, ids.map { .insert("Employee", $0, ["name": "a"]) }),
            write(2, clock: 5, ids.map { .update("Employee", $0, ["name": text]) }),
            write(3, clock: 6, ids.map { .update("Employee", $0, ["name": "c"]) }),
        ])
        func kept() throws -> [Int64] {
            try replica.store.read { try $0.conflicts.page(limit: 100).found.map(\.number) }
        }
        // Each row has the long value and the short one, which together are more than a 32nd part.
        #expect(try kept() == Array(10...40))
        try replica.reopen()
        try replica.apply(ForeignTransaction(2, 2, clock: 5, .update("Employee", 1_000, ["name": text])))
        #expect(try kept() == Array(11...41))
        let counts = try replica.store.read { try $0.conflicts.counts() }
        #expect(counts == ConflictCounts(kept: 31, dropped: 10))
    }

    @Test func `a value that is too long is named and not kept`() throws {
        let text = JSONValue.string(String(repeating: "x", count: ConflictTable.valueLimit))
        let replica = try Replica()
        try replica.apply([
            Self.inserted, write(2, clock: 5, .update("Employee", 1, ["name": text])),
            write(3, clock: 6, .update("Employee", 1, ["name": "c"])),
        ])
        let conflict = try #require(try replica.store.read { try $0.conflicts.conflict(1) })
        #expect(conflict.property == "name" && conflict.losing.value == nil && conflict.winning.value == "c")
    }
}

extension Replica {
    /// The journal as text, without the order in which conflicts were found.
    func journal() throws -> [String] {
        try store.read { reader in
            let own = try reader.writers.own().id
            func name(_ write: Conflict.Write) -> String {
                let writer = write.version.writer
                let known = (1...3).first { ForeignTransaction($0, 1, clock: 1).writer == writer }
                return "\(writer == own ? "self" : known.map(String.init) ?? "?")/\(write.sequence)"
            }
            return try reader.conflicts.page(limit: 100_000).found.map { conflict in
                let number = conflict.id.low & 0xFFFF
                let (losing, winning) = (conflict.losing, conflict.winning)
                let subject = "\(conflict.rule.name) \(conflict.entity).\(conflict.property) \(number)"
                return "\(subject): \(losing.value?.text ?? "?") of \(name(losing)) lost to "
                    + "\(winning.value?.text ?? "deletion") of \(name(winning))"
            }.sorted()
        }
    }
}
