import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges
import TributaryModel

@testable import TributaryStore

/// Plain rows that wait for those of later transactions have the result of changes that are merged one by one.
@Suite struct BulkPathTests {
    @Test(.timeLimit(.minutes(30))) func `random mixtures of both ways end like one change at a time`() throws {
        var generator = SeededGenerator.printingSeed()
        var conflicts = 0
        for round in 0..<10 {
            let schedule = MixedSchedule(using: &generator)
            let model = try SampleModel.make(adding: MixedSchedule.note)
            let (slow, fast) = (try Replica(model), try Replica(model))
            for transaction in schedule.transactions { try slow.apply(transaction, slice: 1) }
            var rest = schedule.transactions[...]
            while !rest.isEmpty {
                let count = Int.random(in: 1...rest.count, using: &generator)
                try fast.apply(waiting: Array(rest.prefix(count)))
                rest = rest.dropFirst(count)
            }
            let place = "seed \(generator.seed), round \(round)"
            let (first, second) = (try slow.dump(), try fast.dump())
            guard first == second else {
                Issue.record("\(place)\n\(first)\n--- waiting:\n\(second)\n\(schedule.transactions)")
                return
            }
            #expect(try slow.digest() == fast.digest(), "\(place)")
            #expect(try slow.told() == fast.told(), "\(place)")
            let journal = try slow.journal()
            conflicts += journal.count
            #expect(try journal == fast.journal(), "\(place)")
        }
        #expect(conflicts > 0)
    }

    @Test func `deletions of objects without relationships wait, and links do not`() throws {
        let model = try SampleModel.make(adding: MixedSchedule.note)
        let replica = try Replica(model)
        try replica.store.write { write in
            try write.letRowsWait()
            for (sequence, changes) in [[Change.delete("Note", 52), .delete("Note", 51)], [.delete("Tag", 41)]]
                .enumerated()
            {
                let transaction = ForeignTransaction(1, UInt64(sequence) + 1, clock: UInt64(sequence) + 1, changes)
                try write.beginImport(writer: transaction.writer, header: transaction.header)
                try write.apply(transaction.changes)
                #expect(write.rowsAreInOrder == false)
                #expect(try write.engine().bulk.waiting.rows.count == (sequence == 0 ? 2 : 0))
                _ = try write.endImport()
            }
        }
    }

    @Test func `rows that lose count as conflicts, beyond those that are kept too`() throws {
        let count = Int(ConflictTable.rowLimit) + ConflictTable.replacementLimit + 1_000
        let counts = try [true, false].map { waits in
            let replica = try Replica()
            func updates(_ writer: Int, _ clock: UInt64, _ title: (Int) -> String) -> ForeignTransaction {
                let changes = (1...count).map { Change.update("Department", $0, ["title": .string(title($0))]) }
                return ForeignTransaction(writer, 1, clock: clock, changes)
            }
            let inserts = (1...count).map { Change.insert("Department", $0, [:]) }
            try replica.apply(waiting: [ForeignTransaction(3, 1, clock: 1, inserts), updates(1, 3) { "t\($0)" }])
            // Every twentieth value equals the one that stands, which is no conflict.
            let late = updates(2, 2) { "t\($0 % 20 == 0 ? $0 : 0)" }
            if waits { try replica.apply(waiting: [late]) } else { try replica.apply(late) }
            return try replica.store.read { try $0.conflicts.counts() }
        }
        #expect(counts[0] == counts[1])
        #expect(counts[0].kept == Int(ConflictTable.rowLimit))
        #expect(counts[0].kept + counts[0].dropped == count - count / 20)
    }

    @Test func `each transaction returns the effects of its own rows, also of those that waited`() throws {
        let replica = try Replica()
        let committed = try replica.apply(waiting: [
            ForeignTransaction(
                1,
                1,
                clock: 1,
                .insert("Tag", 42, ["isOn": .boolean(true)]),
                .insert("Tag", 41, ["isOn": .boolean(false)])
            ),
            ForeignTransaction(2, 1, clock: 2, .update("Tag", 42, ["isOn": .boolean(false)])),
            ForeignTransaction(1, 2, clock: 3, .update("Tag", 41, ["isOn": .boolean(true)]), .delete("Tag", 42)),
        ])
        let ids = committed.map { transaction -> [[UniqueID]] in
            let changes = transaction.changes
            return [changes.inserted, changes.updated, changes.deleted].map { $0.map(\.uniqueID).sorted() }
        }
        let (low, high) = (UniqueID.sample(41), UniqueID.sample(42))
        #expect(ids == [[[low, high], [], []], [[], [high], []], [[], [low], [high]]])
    }

    @Test func `a value that its attribute cannot hold is deferred while the rows around it wait`() throws {
        let replica = try Replica()
        let committed = try replica.apply(waiting: [
            ForeignTransaction(
                1,
                1,
                clock: 1,
                .insert("Tag", 41, ["key": .to(1), "isOn": .boolean(true)]),
                .insert("Tag", 42, ["key": "no UUID", "isOn": .boolean(true)]),
                .insert("Tag", 43, ["key": nil, "isOn": .boolean(true)])
            )
        ])
        #expect(committed.map(\.deferredCount) == [1])
        #expect(committed.map(\.changeCount) == [3])
        #expect(try replica.values("Tag", .sample(41))?["key"] == .uuid(.sample(1)))
        #expect(try replica.values("Tag", .sample(42)) == ["key": .null, "isOn": .boolean(true)])
        #expect(try replica.values("Tag", .sample(43)) == ["key": .null, "isOn": .boolean(true)])
    }

    @Test func `more rows than may wait are applied on the way`() throws {
        let replica = try Replica()
        // As many as take more bytes than may wait, with titles of 1,000 characters.
        let count = WaitingRows.byteLimit / 1_000 + 10
        let end = String(repeating: "x", count: 1_000)
        // The inserts come in reverse order, so that they have to be sorted.
        let inserts = (1...count).reversed().map { Change.insert("Department", $0, ["title": .string("t\($0)\(end)")]) }
        let updates = (1...count).map { Change.update("Department", $0, ["title": .string("u\($0)\(end)")]) }
        try replica.apply(waiting: [
            ForeignTransaction(1, 1, clock: 1, inserts), ForeignTransaction(1, 2, clock: 2, updates),
        ])
        for number in [1, count - 10, count] {
            #expect(try replica.values("Department", .sample(number))?["title"] == .string("u\(number)\(end)"))
        }
        let history = try replica.store.read { try $0.history.transactions(after: 0, limit: 10) }
        #expect(history.map(\.changes.count).suffix(2) == [count, count])
    }

    @Test func `updates of neighbours, of rows far apart, of one object again and of unknown objects all stand`() throws
    {
        let replica = try Replica()
        let inserts = (1...3_000).map { Change.insert("Department", $0, ["title": "old"]) }
        try replica.apply(waiting: [ForeignTransaction(1, 1, clock: 1, inserts)])
        let numbers = Array(1...600) + Array(stride(from: 700, through: 2_900, by: 50)) + [3, 3_500, 2_950, 3_001, 600]
        var expected: [Int: String] = [:]
        let updates = numbers.enumerated().map { position, number in
            expected[number] = "new \(position)"
            return Change.update("Department", number, ["title": .string("new \(position)")])
        }
        try replica.apply(waiting: [ForeignTransaction(1, 2, clock: 2, updates)])
        let late = [3_001, 3_500].map { Change.insert("Department", $0, [:]) }
        try replica.apply(waiting: [ForeignTransaction(1, 3, clock: 3, late)])
        for number in Array(1...3_000) + [3_001, 3_500] as [Int] {
            let title = PropertyValue.string(expected[number] ?? "old")
            #expect(try replica.values("Department", .sample(number))?["title"] == title, "\(number)")
        }
    }

    @Test func `the first update of a row does not make it longer`() throws {
        let replica = try Replica()
        let inserts = (1...2_000).map { Change.insert("Department", $0, ["title": "first"]) }
        // Of the numbers, 0 and 1 take no byte in a record of SQLite, and 2 takes one.
        try replica.apply(waiting: [
            ForeignTransaction(2, 1, clock: 1, .insert("Department", 0, [:])),
            ForeignTransaction(1, 1, clock: 1, inserts),
        ])
        let before = try replica.count("dbstat WHERE name = 'Department'")
        let updates = (1...2_000).map { Change.update("Department", $0, ["title": "other"]) }
        try replica.apply(waiting: [ForeignTransaction(1, 2, clock: 2, updates)])
        #expect(try replica.count("dbstat WHERE name = 'Department'") == before)
        #expect(try replica.values("Department", .sample(2_000))?["title"] == .string("other"))
    }
}

extension Replica {
    /// All objects in history, under any entity name; in each transaction an object is inserted before it is updated.
    fileprivate func told() throws -> Set<UniqueID> {
        let history = try store.read { try $0.history.transactions(after: 0, limit: 10_000) }
        for transaction in history {
            var updated: Set<UniqueID> = []
            for change in transaction.changes {
                let id = change.id.uniqueID
                switch change.kind {
                case .insert: #expect(!updated.contains(id), "\(id) in transaction \(transaction.number)")
                case .update: updated.insert(id)
                case .delete: updated.remove(id)
                }
            }
        }
        return Set(history.flatMap(\.changes).map(\.id.uniqueID))
    }
}

/// Transactions of a few writers: mostly inserts and plain updates, with all other changes in between.
private struct MixedSchedule {
    private(set) var transactions: [ForeignTransaction] = []

    init(using generator: inout SeededGenerator) {
        let other = RandomSchedule(writers: 3, each: 12, using: &generator).interleaving(using: &generator)
        var applied: [UniqueID: UInt64] = [:]
        for transaction in other {
            var changes: [Change] = []
            for change in transaction.changes {
                for _ in 0..<Int.random(in: 0...4, using: &generator) {
                    changes.append(MixedSchedule.plain(&generator))
                }
                if Int.random(in: 0..<3, using: &generator) == 0 { changes.append(change) }
            }
            var mixed = transaction
            mixed.changes = changes
            mixed.header.changeCount = changes.count
            // A writer acknowledges some of what arrived before, so that some writes are concurrent and some are not.
            for (writer, sequence) in applied where writer != transaction.writer && Bool.random(using: &generator) {
                mixed.header.seen[writer] = sequence
            }
            applied[transaction.writer] = transaction.header.sequence
            transactions.append(mixed)
        }
    }

    /// An entity without relationships, whose deletions wait too.
    static let note =
        "  Note: {attributes: {text: String, pages: Integer 64, peak: {type: Integer 64, merge: max}}}\n"

    private static func plain(_ generator: inout SeededGenerator) -> Change {
        func pick(_ ids: ClosedRange<Int>) -> Int { Int.random(in: ids, using: &generator) }
        func text() -> JSONValue { .string(["", "a", "bé", "a longer text"].randomElement(using: &generator) ?? "a") }
        func number() -> JSONValue { pick(0...3) == 0 ? .double(1.5) : .integer(Int64(pick(-2...9))) }
        switch pick(0...18) {
        case 0: return .insert("Person", pick(1...3), ["name": text(), "nick": text()])
        case 1: return .insert("Person", pick(1...3), ["name": text()])
        case 2: return .insert("Employee", pick(1...3), ["name": text(), "salary": number()])
        case 3: return .update("Employee", pick(1...3), ["salary": number()])
        case 4: return .update("Person", pick(1...3), ["name": text(), "nick": pick(0...4) == 0 ? nil : text()])
        case 5: return .insert("Department", pick(11...12), ["title": text()])
        case 6: return .update("Department", pick(11...12), ["title": pick(0...4) == 0 ? .boolean(true) : text()])
        case 7: return .insert("Tag", pick(41...42), ["isOn": .boolean(pick(0...1) == 0), "key": .to(pick(1...9))])
        case 8: return .update("Tag", pick(41...42), ["key": pick(0...2) == 0 ? text() : .to(pick(1...9))])
        case 9: return .insert("Project", pick(31...32), ["name": text()])
        case 10: return .insert("Passport", pick(21...22), ["number": number()])
        case 11: return .update("Passport", pick(21...22), ["number": .integer(Int64(pick(1...9)))])
        case 12: return .delete("Tag", pick(41...42))
        case 13: return .insert("Note", pick(51...54), ["text": text(), "pages": .integer(Int64(pick(1...9)))])
        case 14, 15: return .update("Note", pick(51...54), ["text": text()])
        case 16: return .update("Note", pick(51...54), ["pages": .integer(Int64(pick(1...9)))])
        case 17: return .delete("Note", pick(51...54))
        default: return .update("Person", pick(1...3), ["name": text()])
        }
    }
}
