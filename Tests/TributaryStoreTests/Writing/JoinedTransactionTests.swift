import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges

@testable import TributaryStore

/// What a local transaction logs, and that whoever reads it has the state of the store that wrote it.
@Suite struct JoinedTransactionTests {
    private static let start: [Change] = [
        .insert("Employee", 1, ["name": "Ann", "visits": 3, "best": 2]), .insert("Department", 11),
        .insert("Project", 31), .insert("Tag", 41), .insert("Passport", 21), .link("Project", 31, "people", [1]),
    ]

    private struct Logged {
        var changes: [Change]
        var replica: Replica
    }

    /// The changes that the log has of saves that are one transaction, after a first one.
    private func log(_ saves: [Change]..., isLong: Bool = false, start: [Change] = start) throws -> Logged {
        let replica = try Replica()
        try replica.store.write { _ = try $0.commit(LocalTransaction(changes: start)) }
        try join(saves, in: replica, isLong: isLong)
        let logged = try ExportedWriter.outbox(of: replica)
        try expectSame(replica, logged)
        return Logged(changes: logged.last?.changes ?? [], replica: replica)
    }

    private func join(_ saves: [[Change]], in replica: Replica, isLong: Bool = false) throws {
        _ = try replica.store.write { write in
            write.joinCommits(isLong: isLong)
            defer { write.abandonJoined() }
            for save in saves { _ = try write.commit(LocalTransaction(changes: save)) }
            return try write.finishJoined()
        }
    }

    /// Expects lines in the order of the log, and the same state where they are read.
    private func expectSame(_ replica: Replica, _ logged: [ForeignTransaction], _ comment: Comment? = nil) throws {
        let lines = try replica.store.read { reader in
            var lines: [[Bool]] = []
            try reader.outbox.localTransactions(of: reader.writers.own().id, from: 1) { transaction in
                let text = String(decoding: transaction.lines, as: UTF8.self).split(separator: "\n").dropFirst()
                lines.append(text.map { $0.hasPrefix("{\"delete\"") })
                return text.count == transaction.changeCount
            }
            return lines
        }
        #expect(lines.count == logged.count, comment)
        for line in lines { #expect(!line.drop { $0 }.contains(true), comment) }
        let other = try Replica()
        try other.apply(logged)
        let (here, there) = try (replica.dump(), other.dump())
        #expect(here == there, comment ?? "\(Replica.difference(here, there))")
    }

    @Test func `a deletion takes away what the transaction wrote before`() throws {
        let logged = try log(
            [.insert("Employee", 2, ["name": "Bob", "visits": 1]), .update("Employee", 1, ["name": "Anna"])],
            [.link("Project", 31, "people", [1, 2]), .link("Project", 31, "tags", [41], at: ["m"])],
            [.delete("Employee", 2)]
        )
        #expect(
            logged.changes == [
                .delete("Employee", 2), .update("Employee", 1, ["name": "Anna"]), .link("Project", 31, "people", [1]),
                .link("Project", 31, "tags", [41], at: ["m"]),
            ]
        )
        #expect(try logged.replica.values("Employee", .sample(2)) == nil)
        #expect(try logged.replica.values("Employee", .sample(1))?["name"] == .string("Anna"))
    }

    @Test func `increments and extremes of an object that was there outlive its deletion`() throws {
        let update = Change.update("Employee", 1, ["name": "x", "visits": .increment(2), "best": 9])
        let logged = try log([update], [.delete("Employee", 1)])
        #expect(
            logged.changes == [
                .delete("Employee", 1), .update("Employee", 1, ["visits": .increment(2), "best": 9]),
            ]
        )
        try logged.replica.commit(.insert("Employee", 1, ["name": "Ann"]))
        let values = try #require(try logged.replica.values("Employee", .sample(1)))
        #expect(values["visits"] == .integer(5) && values["best"] == .integer(9))
    }

    @Test func `an object that is deleted and inserted again is both`() throws {
        let insert = Change.insert("Employee", 1, ["name": "Anna"])
        let logged = try log([.update("Employee", 1, ["nick": "x"]), .delete("Employee", 1)], [insert])
        #expect(logged.changes == [.delete("Employee", 1), insert])
        let twice = try log([.delete("Employee", 1)], [.insert("Employee", 1, ["nick": "x"])], [.delete("Employee", 1)])
        #expect(twice.changes == [.delete("Employee", 1)])
        #expect(try twice.replica.values("Employee", .sample(1)) == nil)
    }

    @Test func `a register that is written from the other end is that end's`() throws {
        let logged = try log(
            [.update("Passport", 21, ["owner": .to(1)]), .link("Department", 11, "employees", [1])],
            [.delete("Department", 11), .delete("Passport", 21)]
        )
        let gone = [logged.changes.prefix(2), logged.changes.dropFirst(2)].map { Array($0) }
        #expect(gone[0] == [.delete("Department", 11), .delete("Passport", 21)])
        #expect(gone[1].allSatisfy { $0.id == .sample(1) || $0.id == .sample(11) || $0.id == .sample(21) })
        // Nobody's former department is shown again.
        #expect(try logged.replica.values("Employee", .sample(1))?["department"] == .null)
    }

    @Test func `one save logs its deletions first`() throws {
        let replica = try Replica()
        try replica.store.write { _ = try $0.commit(LocalTransaction(changes: Self.start)) }
        try replica.commit(
            .unlink("Project", 31, "people", [1]),
            .update("Employee", 1, ["name": "x"]),
            .insert("Tag", 42),
            .delete("Employee", 1)
        )
        let logged = try ExportedWriter.outbox(of: replica)
        #expect(logged.last?.changes == [.delete("Employee", 1), .insert("Tag", 42)])
        try expectSame(replica, logged)
    }

    @Test func `one save with long values is logged like several`() throws {
        let values = (0..<4).map { String(repeating: "text \"\($0)\"\n", count: 40_000) }
        let changes: [Change] =
            values.enumerated().map { .insert("Employee", 50 + $0, ["name": .string($1)]) }
            + [.delete("Tag", 41)]
        let (one, several) = (try Replica(), try Replica())
        for replica in [one, several] {
            try replica.store.write { _ = try $0.commit(LocalTransaction(changes: Self.start)) }
        }
        try one.store.write { _ = try $0.commit(LocalTransaction(changes: changes)) }
        try join([changes], in: several)
        let logged = try [one, several].map { try ExportedWriter.outbox(of: $0) }
        #expect(logged[0].last?.changes == [changes[4]] + changes[..<4])
        #expect(logged[0].last?.changes == logged[1].last?.changes)
        try expectSame(one, logged[0])
        let rows = try one.store.read { try $0.outbox.waitingCount() }
        #expect(rows == 2)
    }

    @Test func `a long transaction deletes only what it has not written`() throws {
        let logged = try log(
            [.delete("Tag", 41), .update("Employee", 1, ["name": "x"])],
            [.delete("Project", 31)],
            isLong: true
        )
        #expect(logged.changes.map(\.id) == [.sample(41), .sample(31), .sample(1)])
        for saves in [
            [[Change.delete("Tag", 41), .insert("Tag", 42)], [.delete("Tag", 42)]],
            [[.update("Employee", 1, ["name": "x"])], [.delete("Tag", 41)]],
        ] {
            let error = #expect(throws: StoreError.self) { try log(saves[0], saves[1], isLong: true) }
            guard case .invalidChange? = error else { throw error ?? .closed }
        }
    }

    /// Saves that are one transaction leave what they leave as transactions of their own.
    @Test func `random saves show the same alone and joined`() throws {
        var generator = SeededGenerator.fromEnvironment()
        for round in LongProofs.rounds(60) {
            let (joined, alone) = try (Replica(), Replica())
            let outlives = round % 2 == 1
            for _ in 0..<4 {
                var saves: [[Change]] = []
                for _ in 0..<Int.random(in: 1...4, using: &generator) {
                    let save = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
                        Self.change(&generator, outlives: outlives)
                    }
                    if (try? alone.store.write { try $0.commit(LocalTransaction(changes: save)) }) != nil {
                        saves.append(save)
                    }
                }
                if !saves.isEmpty { try join(saves, in: joined) }
            }
            let comment: Comment = "seed \(generator.seed), round \(round)"
            try expectSame(joined, try ExportedWriter.outbox(of: joined), comment)
            guard !outlives else { continue }
            for (entity, ids) in [("Person", 1...3), ("Department", 11...12), ("Passport", 21...22)] {
                for id in ids {
                    let (here, there) = try (joined.values(entity, .sample(id)), alone.values(entity, .sample(id)))
                    #expect(here == there, comment)
                }
            }
            #expect(try pairs(joined) == pairs(alone), comment)
        }
    }

    private func pairs(_ replica: Replica) throws -> [String] {
        try ["Person_projects", "Project_tags"].map { table in
            let pairs = "SELECT hex(_source) || hex(_target) AS pair FROM \(table) ORDER BY 1"
            return try PlainSQL(path: replica.path).value("SELECT group_concat(pair) FROM (\(pairs))") ?? ""
        }
    }

    /// A change that a store may save, with those whose values outlive a deletion or without.
    private static func change(_ generator: inout SeededGenerator, outlives: Bool) -> Change {
        while true {
            let change = RandomSchedule.change(&generator)
            if RandomSchedule.isUnknown(change) || change.entity == "Unknown" { continue }
            switch change.operation {
            case .insert(let writes), .update(let writes):
                let outliving = writes.contains { ["visits", "best", "least"].contains($0.name) }
                if outliving, !outlives { continue }
                if writes.contains(where: { $0.name == "name" && $0.value.isNumber }) { continue }
            case .delete, .link, .unlink: break
            }
            return change
        }
    }
}

extension JSONValue {
    fileprivate var isNumber: Bool { if case .integer = self { true } else { false } }
}
