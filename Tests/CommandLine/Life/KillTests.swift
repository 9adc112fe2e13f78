import Foundation
import TestSupport
import Testing

@Suite("Kills at any moment", .daemonTurns)
struct KillTests {
    /// SIGKILL at random times while the daemon starts, migrates, imports, saves large values, exports and backs up,
    /// with a restart after each.
    @Test(
        "a hundred kills lose nothing and apply nothing twice",
        .timeLimit(.minutes(60)),
        arguments: 0..<2 as Range<UInt64>
    )
    func hundredKills(_ run: UInt64) async throws {
        var random = SeededGenerator(seed: SeededGenerator.fromEnvironment().seed &+ run)
        let scene = try KilledReplica()
        let comment = Comment(rawValue: "seed \(random.seed)")
        let rounds = LongProofs.count(50, long: 500)
        for round in 1...rounds {
            if round.isMultiple(of: 20) { try scene.changeModel() }
            try scene.dropSegments(using: &random)
            let moment = Int.random(in: 20...700, using: &random)
            try await scene.runUntilKilled(afterMilliseconds: moment, round: round)
        }
        print("seed \(random.seed): \(rounds) kills, \(scene.killsBeforeReady) of them before the daemon was ready")
        try await scene.settle()
        #expect(
            scene.killsBeforeReady < rounds,
            "no round got as far as READY: the moments are too early to prove anything"
        )
        #expect(!scene.acknowledged.isEmpty, comment)

        // Nothing is lost: the store has every imported segment and every acknowledged change.
        let sql = PlainSQL(path: scene.store)
        let items = Set(try sql.rows("SELECT _id FROM Item").compactMap { $0[0] })
        #expect(scene.droppedItems.subtracting(items).isEmpty, comment)
        #expect(scene.acknowledged.subtracting(items).isEmpty, comment)

        // Nothing is applied twice: increments add up, no transaction occurs twice, sequences have no gaps.
        #expect(try sql.value("SELECT count FROM Tally") == String(scene.increments), comment)
        let twice = "SELECT writer, sequence FROM tributary_transaction GROUP BY writer, sequence HAVING count(*) > 1"
        #expect(try sql.rows(twice).isEmpty, comment)
        let holes = """
            SELECT w.uuid FROM tributary_writer w JOIN tributary_transaction t ON t.writer = w.id
            GROUP BY w.id HAVING count(*) <> w.sequence OR max(t.sequence) <> w.sequence
            """
        #expect(try sql.rows(holes).isEmpty, comment)

        // Every change was exported once, in a chain without gaps, and another replica reaches an equal state from it.
        let exported = try scene.exportedSegments()
        #expect(exported.problems.isEmpty, comment)
        #expect(exported.items.count == Set(exported.items).count, comment)
        #expect(scene.acknowledged.subtracting(exported.items).isEmpty, comment)
        #expect(try scene.leftovers().isEmpty, comment)
        try await scene.check()
        #expect(try await scene.digestOfSecondReplica() == scene.digest(), comment)
    }
}
