import Glibc
import TestSupport
import Testing

/// Random failures of the disk while a daemon saves, imports, exports and backs up, with kills and stops in between.
@Suite(.timeLimit(.minutes(60)), .daemonTurns) struct FaultMixTests {
    @Test func randomFailuresLoseNothing() async throws {
        var random = SeededGenerator.printingSeed()
        let replica = try await FaultyReplica.started()
        var (round, failed) = (0, 0)
        var rounds = LongProofs.rounds(8)
        // The rules of all rounds may be about files that their work does not touch: then more rounds follow.
        while rounds.next() != nil || (failed == 0 && round < 64) {
            round += 1
            let comment = Comment(rawValue: "seed \(random.seed), round \(round)")
            let rules = (0..<Int.random(in: 1...2, using: &random)).map { _ in rule(using: &random) }
            for (place, rule) in rules.enumerated() { replica.control.begin(rule, at: place) }
            for _ in 0..<Int.random(in: 1...6, using: &random) { try await work(replica, using: &random) }
            failed += rules.indices.map { replica.control.hits(at: $0) }.reduce(0, +)
            let restarts = Int.random(in: 0..<5, using: &random)
            // The daemon is killed while its disk fails, or stopped: what it then cannot do waits for the next start.
            if restarts == 0 { await replica.kill() }
            if restarts == 1 {
                let ending = await replica.stop()
                #expect(ending == .exited(0), "\(comment.rawValue): \(replica.journal)")
                await replica.kill()
            }
            replica.control.end()
            if restarts < 2 { try await replica.start() }
            try await replica.expectRecovery(comment)
        }
        try await replica.expectCheckWithoutProblems(Comment(rawValue: "seed \(random.seed)"))
        #expect(failed > 0, "no call has failed: the rules prove nothing")
        print("seed \(random.seed): \(failed) calls have failed")
    }

    /// A rule of any target, which begins and ends at a random call.
    private func rule(using random: inout SeededGenerator) -> FaultRule {
        let all = FaultTarget.allCases.flatMap(\.rules)
        var rule = all[Int.random(in: all.indices, using: &random)]
        rule.skipped = Int.random(in: 0...12, using: &random)
        rule.count = Bool.random(using: &random) ? -1 : Int.random(in: 1...4, using: &random)
        return rule
    }

    /// Some work, whether it succeeds or not; the daemon must respond.
    private func work(_ replica: FaultyReplica, using random: inout SeededGenerator) async throws {
        switch Int.random(in: 0..<10, using: &random) {
        case 0...3: _ = try await replica.save()
        case 4: _ = try await replica.save(file: 150_000)
        case 5: _ = try await replica.save(name: 1 << 18)
        case 6...7: try replica.dropSegment(items: Int.random(in: 0...200, using: &random))
        case 8: _ = try await replica.backUp()
        default: _ = try await replica.synchronize()
        }
    }
}
