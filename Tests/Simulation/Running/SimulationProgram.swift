import Foundation
import TributaryStore

/// The program of a simulation: plays random schedules, and prints the first that ends wrong.
package enum SimulationProgram<Schedule: PlayableSchedule> {
    package static func run(_ name: String) async throws {
        guard let options = SimulationOptions(Array(CommandLine.arguments.dropFirst())) else {
            print(SimulationOptions.usage(name))
            exit(64)
        }
        // The process plays schedules and nothing else.
        SQLiteMemory.disableAccounting()
        if let replay = options.replay { return try await play(replay) }
        let run = SimulationRun<Schedule>(
            first: options.seed,
            count: options.schedules,
            limit: options.limit,
            workers: options.workers
        )
        print("seeds from \(options.seed)")
        let result = await run.play()
        print(result)
        print(Occurrences.text)
        guard let seed = result.failing else { return }
        guard options.reports else {
            print(result.failure ?? "")
            exit(1)
        }
        let again = "seed \(seed) does not fail again, after it has failed so:\n\(result.failure ?? "")"
        print(await ScheduleReport(Schedule(seed: seed))?.description ?? again)
        exit(1)
    }

    private static func play(_ replay: String) async throws {
        if let seed = UInt64(replay) { return await play(Schedule(seed: seed), "seed \(seed)") }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: replay))?.sorted()
        for path in names?.map({ "\(replay)/\($0)" }) ?? [replay] {
            try await play(Schedule(text: String(contentsOfFile: path, encoding: .utf8)), path)
        }
    }

    private static func play(_ schedule: Schedule, _ name: String) async {
        guard let report = await ScheduleReport(schedule) else { return print("\(name): ends as it should") }
        print("\(name):\n\(report)")
        exit(1)
    }
}
