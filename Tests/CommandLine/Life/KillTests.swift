import Foundation
import TestSupport
import Testing

@Suite("Kills at any moment", .daemonTurns)
struct KillTests {
    /// Kills the first daemon in at least `rounds` rounds.
    private func kill(_ scene: KilledReplica, _ rounds: LongProofs, using random: inout SeededGenerator) async throws
        -> Int
    {
        var (rounds, round, further) = (rounds, 0, 0)
        while true {
            if rounds.next() == nil {
                guard further < 150, !scene.hasMetEverything(in: round) else { break }
                further += 1
            }
            round += 1
            if round.isMultiple(of: 20) { try scene.changeModel() }
            try scene.dropSegments(using: &random)
            let latest = 700 + 40 * further
            try await scene.runUntilKilled(afterMilliseconds: .random(in: 20...latest, using: &random), round: round)
            if scene.compacts, round.isMultiple(of: 2) { try await scene.exchange(compacts: round.isMultiple(of: 4)) }
        }
        print("seed \(random.seed): \(round) kills, \(scene.killsBeforeReady) before READY, \(scene.kills)")
        return round
    }

    /// SIGKILL at random times while the daemon starts, migrates, imports, saves large values, exports, backs up, and in
    /// every second run cuts and verifies baselines and removes segments, with a restart after each.
    @Test(
        "kills lose nothing and apply nothing twice",
        .timeLimit(.minutes(60)),
        arguments: 0..<2 as Range<UInt64>
    )
    func killsLoseNothing(_ run: UInt64) async throws {
        var random = SeededGenerator(seed: SeededGenerator.fromEnvironment().seed &+ run)
        let compacts = !run.isMultiple(of: 2)
        let scene = try KilledReplica(compacts: compacts)
        let comment = Comment(rawValue: "seed \(random.seed)")
        // A daemon that nobody knows yet joins a baseline, and then has not every transaction.
        if compacts { try await scene.exchange("one", compacts: false) }
        let rounds = try await kill(scene, LongProofs.rounds(12), using: &random)
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
            SELECT w.uuid, w.sequence, count(*), min(t.sequence), max(t.sequence)
            FROM tributary_writer w JOIN tributary_transaction t ON t.writer = w.id
            GROUP BY w.id HAVING count(*) <> w.sequence OR max(t.sequence) <> w.sequence
            """
        #expect(try sql.rows(holes) == [], comment)

        if compacts {
            // The kills met compactions that went on afterwards: the second daemon agreed with baselines of the first one,
            // whose segments are gone.
            let writer = try await scene.writer()
            #expect(scene.kills["/v1/compact", default: 0] > 0, "no kill met a compaction; \(comment)")
            #expect(
                scene.verified > 0 && scene.removed.contains { $0.hasPrefix(writer) && $0.hasSuffix(".tlog") },
                comment
            )
            try await scene.check()
            let leftovers = try scene.leftovers()
            #expect(leftovers == [], "\(leftovers), \(comment)")
            #expect(try await scene.digestOfNewReplica() == scene.digest(), comment)
            return
        }
        // Every change was exported once, in a chain without gaps, and another replica reaches an equal state from it.
        let exported = try scene.exportedSegments()
        #expect(exported.problems.isEmpty, comment)
        #expect(exported.items.count == Set(exported.items).count, comment)
        #expect(scene.acknowledged.subtracting(exported.items).isEmpty, comment)
        let leftovers = try scene.leftovers()
        #expect(leftovers == [], "\(leftovers), \(comment)")
        try await scene.check()
        #expect(try await scene.digestOfNewReplica() == scene.digest(), comment)
    }
}
