import Foundation
import StoreTestSupport
import Synchronization
import TestSupport
import Testing
import TributaryChanges
import TributaryModel
import TributaryStore

/// An interrupted migration leaves the store at the old version.
///
/// The second attempt has the result of a migration without an interruption.
@Suite struct MigrationInterruptionTests {
    /// A model change with a difference of every kind.
    private func story() throws -> (old: Model, new: Model) {
        let old = try Model(
            yaml: """
                version: "1"
                entities:
                  A:
                    attributes: {n: Integer 16?, gone: String?, x: String?, c: {type: Integer 64, optional: true, merge: counter}}
                    relationships: {b: {to: B?}, bs: {to: B, many: true, inverse: as}}
                  B: {attributes: {y: String?}, relationships: {as: {to: A, many: true, inverse: bs}}}
                  D: {attributes: {z: String?}}
                """
        )
        let new = try Model(
            yaml: """
                version: "2"
                entities:
                  P: {abstract: true, attributes: {n: Double?}}
                  Z:
                    parent: P
                    renamed_from: A
                    attributes: {x: {type: String, default: none}, c: {type: Integer 64, optional: true, merge: counter}}
                    relationships: {b: {to: B, many: true}, bs: {to: B, many: true, inverse: as}}
                    indexes: {byX: [x]}
                  B: {attributes: {y: String?, w: {type: String, default: w}}, relationships: {as: {to: Z, many: true, inverse: bs}}}
                  E: {attributes: {e: String?}}
                """
        )
        return (old, new.succeeding([old]))
    }

    private func filled(_ model: Model) throws -> Replica {
        let replica = try Replica(model)
        for number in 1...20 {
            try replica.commit(
                .insert("B", 100 + number, ["y": "b"]),
                .insert(
                    "A",
                    number,
                    ["n": .integer(Int64(number)), "gone": "g", "x": nil, "b": .to(100 + number), "c": .increment(2)]
                ),
                .insert("D", 200 + number, ["z": "d"]),
                .link("A", number, "bs", [101, 100 + number])
            )
        }
        try replica.commit(.delete("A", 3), .update("A", 99, ["n": 4, "gone": "later"]), .delete("D", 203))
        return replica
    }

    private func copy(_ replica: Replica, _ model: Model) throws -> Replica {
        let copy = try Replica(model)
        try copy.store.close()
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: copy.path + suffix)
        }
        try FileManager.default.copyItem(atPath: replica.path, toPath: copy.path)
        try copy.takeToken(of: replica)
        return copy
    }

    @Test func `stopped at any step it starts again from the old version`() throws {
        var random = SeededGenerator.printingSeed()
        let (old, new) = try story()
        let source = try filled(old)
        try source.store.close()
        let calm = try copy(source, old)
        let questions = Atomic(0)
        var settings = MigrationSettings()
        settings.stepsBetweenQuestions = 40
        settings.shouldStop = {
            questions.add(1, ordering: .relaxed)
            return false
        }
        try calm.reopen(new, migration: settings)
        let (dump, digest) = (try calm.dump(), try calm.digest())
        let total = questions.load(ordering: .relaxed)
        #expect(total > 100)
        for _ in 0..<40 {
            let moment = Int.random(in: 1...total, using: &random)
            let replica = try copy(source, old)
            let asked = Atomic(0)
            settings.shouldStop = { asked.add(1, ordering: .relaxed).newValue >= moment }
            let error = #expect(throws: MigrationError.self) { try replica.reopen(new, migration: settings) }
            #expect(error == .interrupted(from: "1", to: "2"), "at \(moment) of \(total)")
            #expect(try PlainSQL(path: replica.path).value("SELECT count(*) FROM A") == "19")
            try replica.reopen(new)
            #expect(try replica.dump() == dump, "at \(moment) of \(total)")
            #expect(try replica.digest() == digest, "at \(moment) of \(total)")
        }
    }

    @Test func `a report that throws ends it, wherever it is`() throws {
        struct Enough: Error {}
        let (old, new) = try story()
        let source = try filled(old)
        try source.store.close()
        let heard = Mutex<[MigrationProgress]>([])
        var settings = MigrationSettings()
        settings.report = { progress in heard.withLock { $0.append(progress) } }
        let calm = try copy(source, old)
        try calm.reopen(new, migration: settings)
        let reports = heard.withLock { $0 }
        // The first and the last report list the values that are lost.
        for report in [reports.first, reports.last] {
            var bare = try #require(report)
            #expect(
                bare.losses.map(\.description)
                    == ["A.gone: 19 values (the property is removed)", "D: 19 objects (the entity is removed)"]
            )
            bare.losses = []
            #expect(bare == MigrationProgress(from: "1", to: "2"))
        }
        #expect(reports.compactMap(\.entity) == ["P", "D"])
        #expect(reports.map(\.done).max() == reports.map(\.total).max())
        for place in reports.indices {
            let replica = try copy(source, old)
            let count = Atomic(0)
            settings.report = { _ in
                if count.add(1, ordering: .relaxed).newValue == place + 1 { throw Enough() }
            }
            #expect(throws: (any Error).self) { try replica.reopen(new, migration: settings) }
            try replica.reopen(new)
            #expect(try replica.dump() == calm.dump())
        }
    }
}
