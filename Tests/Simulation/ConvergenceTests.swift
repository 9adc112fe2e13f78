import Foundation
import TestSupport
import Testing

/// Replicas that exchange segments in any order end in equal states that follow the merge rules.
@Suite struct ConvergenceTests {
    /// The number of schedules in each of the ten parts.
    private static let schedules = LongProofs.count(25, long: 200)

    @Test(arguments: 0..<10)
    func replicasConverge(part: Int) throws { try converge(part: part, isUnique: false) }

    @Test(arguments: 0..<10)
    func replicasWithUniquenessConstraintsConverge(part: Int) throws { try converge(part: part, isUnique: true) }

    private func converge(part: Int, isUnique: Bool) throws {
        let seed = Self.seed
        for index in 0..<Self.schedules {
            let schedule = Schedule(seed: seed &+ UInt64(part * Self.schedules + index), isUnique: isUnique)
            guard let failure = Self.failure(of: schedule) else { continue }
            let small = schedule.shrunk { Self.failure(of: $0) != nil }
            let steps = small.steps.map { "\($0)" }.joined(separator: "\n")
            Issue.record(
                """
                seed \(schedule.seed), \(schedule.replicas) replicas, \(schedule.producers) producers: \(failure)
                cut down to:
                \(steps)
                \(Self.failure(of: small) ?? "")
                """
            )
            return
        }
    }

    static func failure(of schedule: Schedule) -> String? {
        do {
            try World.play(schedule)
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// The seed for all parts of a run.
    private static let seed: UInt64 = {
        let seed = SeededGenerator.fromEnvironment().seed
        print("seed \(seed)")
        return seed
    }()
}
