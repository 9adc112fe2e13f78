import SimulationRunning
import SimulationWorld

/// Plays random schedules of replicas that exchange their logs, and prints the first that ends wrong.
///
///     swift run -c release --static-swift-stdlib simulate [--schedules N] [--seconds N] [--seed N] [--workers N]
///     swift run -c release --static-swift-stdlib simulate --replay (SEED | FILE | FOLDER)
///
/// Schedules have the seeds from the given one on; without one, a random one. A seed gives the same run each time with
/// `SWIFT_DETERMINISTIC_HASHING=1`. The exit status is 1 when a schedule ends wrong.
@main
struct Simulate {
    static func main() async throws { try await SimulationProgram<Schedule>.run("simulate") }
}
