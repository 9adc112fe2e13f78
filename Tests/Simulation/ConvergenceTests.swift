import SimulationWorld
import TestSupport
import Testing

/// Replicas that exchange segments in any order end in equal states that follow the merge rules.
///
/// The program `simulate` plays many more schedules.
@Suite struct ConvergenceTests {
    /// The number of schedules in each of the ten parts.
    private static let schedules = 6

    @Test(arguments: 0..<10)
    func replicasConverge(part: Int) async throws {
        for index in 0..<Self.schedules {
            let schedule = Schedule(seed: Self.seed &+ UInt64(part * Self.schedules + index))
            guard let report = await ScheduleReport(schedule) else { continue }
            Issue.record("\(report)")
            return
        }
    }

    /// A printed schedule is the one that was played.
    @Test func aScheduleIsReadAsItIsPrinted() throws {
        for index in 0..<200 {
            let schedule = Schedule(seed: Self.seed &+ UInt64(index))
            let read = try Schedule(text: schedule.description)
            #expect(read.description == schedule.description)
            #expect(read.steps == schedule.steps)
        }
    }

    /// The seed for all parts of a run.
    private static let seed: UInt64 = {
        let seed = SeededGenerator.fromEnvironment().seed
        print("seed \(seed)")
        return seed
    }()
}
