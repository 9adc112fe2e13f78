import Foundation
import SimulationWorld

/// Plays random schedules of replicas that exchange their logs, and prints the first that ends wrong.
///
///     swift run -c release --static-swift-stdlib simulate [--schedules N] [--seconds N] [--seed N] [--workers N]
///     swift run -c release --static-swift-stdlib simulate --replay (SEED | FILE | FOLDER)
///     TRIBUTARY_MUTATIONS=1 swift run -c release --static-swift-stdlib simulate --mutation (NAME | list)
///
/// Schedules have the seeds from the given one on; without one, a random one. A seed gives the same run each time with
/// `SWIFT_DETERMINISTIC_HASHING=1`. The exit status is 1 when a schedule ends wrong.
@main
struct Simulate {
    static func main() async throws {
        guard let options = SimulationOptions(Array(CommandLine.arguments.dropFirst())) else {
            print(SimulationOptions.usage)
            exit(64)
        }
        SimulationRun.prepareProcess()
        if options.mutation == "list" { return MutationSearch.list() }
        if let name = options.mutation, !MutationSearch.turnOn(name) {
            print("there is no mutation \(name) in this build; --mutation list lists them")
            exit(64)
        }
        if let replay = options.replay { return try await play(replay) }
        let run = SimulationRun(
            first: options.seed,
            count: options.schedules,
            limit: options.limit,
            workers: options.workers
        )
        if let name = options.mutation { exit(await MutationSearch.find(name, run) ? 0 : 1) }
        print("seeds from \(options.seed)")
        let result = await run.play()
        print(result)
        guard let seed = result.failing else { return }
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
