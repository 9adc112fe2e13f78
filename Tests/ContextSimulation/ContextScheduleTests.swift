import ContextWorld
import TestSupport
import Testing

/// Contexts on one store show and save what the rules say, in schedules that are drawn, and in those that once ended
/// wrong.
///
/// The program `simulate-contexts` plays many more schedules.
@Suite struct ContextScheduleTests {
    @Test func contextsShowAndSaveWhatTheRulesSay() async throws {
        let arguments = ["--schedules", "40", "--seed", "\(Self.seed)"]
        let printed = try await SimulationProcess.run("simulate-contexts", arguments)
        #expect(printed.contains("40 schedules in"), "\(printed)")
    }

    @Test func theFoundSchedulesEndAsTheyShould() async throws {
        let folder = PackageFolder.path("Tests/ContextSimulation/Schedules")
        let printed = try await SimulationProcess.run("simulate-contexts", ["--replay", folder])
        #expect(printed.contains(": ends as it should"), "\(printed)")
    }

    @Test func aScheduleIsReadAsItIsPrinted() throws {
        for index in 0..<200 {
            let schedule = ContextSchedule(seed: Self.seed &+ UInt64(index))
            let read = try ContextSchedule(text: schedule.description)
            #expect(read.description == schedule.description)
            #expect(read.steps == schedule.steps)
        }
    }

    private static let seed = SeededGenerator.printingSeed().seed
}
