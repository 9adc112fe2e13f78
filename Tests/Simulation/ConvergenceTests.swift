import Foundation
import SimulationWorld
import TestSupport
import Testing

/// Replicas that exchange segments in any order end in equal states that follow the merge rules.
///
/// The program `simulate` plays many more schedules.
@Suite struct ConvergenceTests {
    @Test func replicasConverge() async throws {
        let printed = try await SimulationProcess.run("simulate", ["--schedules", "60", "--seed", "\(Self.seed)"])
        #expect(printed.contains("60 schedules in"), "\(printed)")
    }

    @Test func aScheduleIsReadAsItIsPrinted() throws {
        for index in 0..<200 {
            let schedule = Schedule(seed: Self.seed &+ UInt64(index))
            let read = try Schedule(text: schedule.description)
            #expect(read.description == schedule.description)
            #expect(read.steps == schedule.steps)
        }
    }

    private static let seed: UInt64 = {
        let seed = SeededGenerator.printingSeed().seed
        return seed
    }()
}
