import GRDB
import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges
import TributaryModel

@testable import TributaryStore

@Suite struct StoreStateTests {
    @Test func `a local transaction says what it has seen once, and draws a clock after all it has applied`() throws {
        let replica = try Replica()
        let ahead = HybridClock(milliseconds: Replica.now.milliseconds + 5000, counter: 7)
        var foreign = ForeignTransaction(1, 1, clock: 1, .insert("Tag", 1))
        foreign.header.clock = ahead
        try replica.apply(foreign)
        try replica.commit(.insert("Tag", 2))
        let clock = try replica.store.read { try $0.writers.own().clock }
        #expect(clock == HybridClock(milliseconds: Replica.now.milliseconds + 5000, counter: 8))
        try replica.commit(.insert("Tag", 3))
        let lines = try replica.localTransactions()
        #expect(lines.count == 2, "what was imported is not exported")
        #expect(lines.first?.contains("\"seen\":{\"\(foreign.writer)\":1}") == true)
        #expect(lines.last?.contains("seen") == false)
        let writers = try replica.store.read { try $0.writers.all() }
        #expect(writers.first { $0.id == foreign.writer }?.sequence == 1)
        #expect(writers.first(where: \.isSelf)?.sequence == 2)
        #expect(writers.first(where: \.isSelf)?.seen[foreign.writer] == 1)
    }

    /// A store that was without its log folder has many transactions to export, in many segments.
    @Test func `what is to be exported is found without a look at each transaction`() throws {
        let replica = try Replica()
        for number in 1...200 { try replica.commit(.insert("Tag", number)) }
        try replica.store.write { write in
            let own = try write.reader.writers.own().id
            for sequence in 1...100 as ClosedRange<UInt64> {
                try write.beginExport(ExportRange(writer: own, first: sequence, last: sequence, header: "{}"))
            }
        }
        var first: [UInt64] = []
        let steps = try replica.steps(every: 1) { first = try $0.reader.outbox.unexported().map(\.first) }
        #expect(first == [101] && steps < 3_000, "\(steps)")
        // One look at each transaction and each segment.
        var count = 0
        let counted = try replica.steps(every: 1) { count = try $0.reader.outbox.waitingCount() }
        #expect(count == 100 && counted < 10_000, "\(counted)")
    }

    @Test func `ranges, segments, settings and answers are kept, finished ones purged with the history`() throws {
        let replica = try Replica()
        let range = try replica.store.read {
            ExportRange(writer: try $0.writers.own().id, first: 1, last: 1, header: "{}")
        }
        try replica.store.write { write in
            _ = try write.commit(
                LocalTransaction(
                    changes: [.insert("Tag", 1)],
                    idempotency: .init(key: "k", detail: "answer")
                )
            )
            try write.setSetting("a", to: "b")
            try write.beginExport(range)
        }
        let unfinished = try replica.store.read { try $0.outbox.unfinishedExports() }
        #expect(unfinished == [range])
        #expect(try replica.store.read { try $0.outbox.unexported().isEmpty })
        #expect(try replica.store.read { try $0.history.idempotent(key: "k")?.detail } == "answer")
        #expect(try replica.store.read { try $0.setting("a") } == "b")
        try replica.store.write { try $0.finishExport(range, sha256: "ab") }
        let own = try replica.store.read { try $0.writers.own() }
        #expect(own.lastSegmentHash == "ab")
        let segment = try replica.store.read { try $0.writers.segment(writer: own.id, 1, 1) }
        #expect(segment == SegmentRecord(writer: own.id, first: 1, last: 1, sha256: "ab"))
        try replica.store.write { try $0.purgeHistory(committedBefore: .greatestFiniteMagnitude) }
        #expect(try replica.store.read { try $0.history.oldestNumber() } == 1)
        #expect(try replica.store.read { try $0.history.idempotent(key: "k") } == nil)
        #expect(try replica.localTransactions().count == 1, "others may not have it yet")
        try replica.store.write { try $0.releaseExported(of: own.id, through: 0) }
        #expect(try replica.localTransactions().count == 1)
        try replica.store.write { try $0.releaseExported(of: own.id, through: .max) }
        #expect(try replica.localTransactions().isEmpty)
    }

    @Test func `lines that are not exported are kept whatever others are said to have`() throws {
        let replica = try Replica()
        try replica.store.write { write in
            for number in 1...3 { _ = try write.commit(LocalTransaction(changes: [.insert("Tag", number)])) }
        }
        let own = try replica.store.read { try $0.writers.own().id }
        let range = ExportRange(writer: own, first: 1, last: 2, header: "{}")
        try replica.store.write { _ = try $0.beginExport(range) }
        try replica.store.write { try $0.releaseExported(of: own, through: .max) }
        #expect(try replica.localTransactions().count == 3, "the export is not complete")
        try replica.store.write { try $0.finishExport(range, sha256: "ab") }
        try replica.store.write { try $0.releaseExported(of: own, through: .max) }
        #expect(try replica.localTransactions() == replica.localTransactions(from: 3))
        #expect(try replica.localTransactions().count == 1)
    }

    @Test func `what was recorded while the clock was ahead is removed with the history around it`() throws {
        let replica = try Replica()
        let future = Replica.now.later(by: .seconds(9_000)).unixSeconds
        for number in 1...3 {
            let answer = LocalTransaction.Idempotency(key: "\(number)", detail: "")
            try replica.store.write { write in
                _ = try write.commit(LocalTransaction(changes: [.insert("Tag", number)], idempotency: answer))
                try write.setSetting("history.consumer.index", to: "1 \(future)")
            }
        }
        try replica.store.write { write in
            try write.db.execute(sql: "UPDATE tributary_transaction SET committed_at = \(future) WHERE number = 2")
            try write.db.execute(sql: "UPDATE tributary_answer SET committed_at = \(future) WHERE number = 2")
            try write.purgeHistory(committedBefore: Replica.now.unixSeconds + 1)
        }
        #expect(try replica.store.read { try $0.history.oldestNumber() } == 3)
        for key in ["1", "2", "3"] {
            #expect(try replica.store.read { try $0.history.idempotent(key: key) } == nil)
        }
    }

    @Test func `a transaction while the clock was behind removes no newer history and no newer answer`() throws {
        let replica = try Replica()
        for number in 1...2 {
            let answer = LocalTransaction.Idempotency(key: "\(number)", detail: "")
            try replica.store.write { write in
                _ = try write.commit(LocalTransaction(changes: [.insert("Tag", number)], idempotency: answer))
            }
        }
        try replica.store.write { write in
            try write.db.execute(sql: "UPDATE tributary_transaction SET committed_at = 1 WHERE number = 2")
            try write.purgeHistory(committedBefore: Replica.now.unixSeconds - 1)
        }
        #expect(try replica.store.read { try $0.history.oldestNumber() } == 0)
        #expect(try replica.store.read { try $0.history.idempotent(key: "1") } != nil)
    }

    @Test func `a local commit costs the same after few and after many exported segments`() throws {
        func steps(after count: UInt64) throws -> Int {
            let replica = try Replica()
            try replica.store.write { write in
                let own = try write.reader.writers.own().id
                for number in 1...count {
                    try write.beginExport(ExportRange(writer: own, first: number, last: number, header: "{}"))
                }
            }
            return try replica.steps(every: 1) { _ = try $0.commit(LocalTransaction(changes: [.insert("Tag", 1)])) }
        }
        let (few, many) = (try steps(after: 10), try steps(after: 2_000))
        #expect(few > 0 && many <= few + 100, "\(few) and \(many) instructions of SQLite")
    }

    @Test func `a model that changed something so that values would be lost is refused by name`() throws {
        let replica = try Replica()
        let text = SampleModel.text.replacing("version: \"1\"", with: "version: \"2\"")
        let changed = try Model(yaml: text.replacing("{name: String, nick", with: "{name: Integer 64, nick"))
        let error = try #require(throws: MigrationError.self) { try replica.reopen(changed) }
        guard case .notInferable("1", "2", let refusals) = error else { throw error }
        #expect(refusals.map(\.entity) == ["Person"] && refusals.map(\.property) == ["name"])
    }
}
