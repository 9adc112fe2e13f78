import Foundation
import TestSupport
import Testing

@Suite("Kills at any moment", .serialized, .daemonTurns)
struct KillTests {
    /// SIGKILL at random times while segments are imported and local changes are exported, with a restart after each.
    @Test("a hundred kills lose nothing and apply nothing twice", .timeLimit(.minutes(30)))
    func hundredKills() async throws {
        var random = SeededGenerator.fromEnvironment()
        let scene = try KilledReplica(seed: random.seed)
        for round in 1...100 {
            try scene.dropSegments(using: &random)
            let moment = Int.random(in: 20...700, using: &random)
            try await scene.runUntilKilled(afterMilliseconds: moment, round: round)
        }
        let comment = Comment(rawValue: "seed \(random.seed)")
        try await scene.settle()
        #expect(
            scene.killsBeforeReady < 100,
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
        #expect(try await scene.digestOfSecondReplica() == scene.digest(), comment)
    }
}
