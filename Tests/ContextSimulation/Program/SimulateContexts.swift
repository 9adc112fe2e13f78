import ContextWorld
import Foundation
import SimulationRunning

/// Plays random schedules of contexts on one store, and prints the first that ends wrong.
///
///     swift run -c release --static-swift-stdlib simulate-contexts [--schedules N] [--seconds N] [--seed N] [--workers N]
///     swift run -c release --static-swift-stdlib simulate-contexts --replay (SEED | FILE | FOLDER)
///
/// A seed gives the same run each time with `SWIFT_DETERMINISTIC_HASHING=1`. The exit status is 1 when a schedule ends
/// wrong.
@main
struct SimulateContexts {
    static func main() async throws {
        if let names = ProcessInfo.processInfo.environment["TRIBUTARY_CONTEXTS_WITHOUT"],
            !ContextFeatures.leaveOut(names)
        {
            print("TRIBUTARY_CONTEXTS_WITHOUT: not features: \(names)")
            exit(64)
        }
        // A process that has ended is reported, not followed.
        signal(SIGPIPE, SIG_IGN)
        if try await ContextProcess.run(Array(CommandLine.arguments.dropFirst())) { return }
        try await SimulationProgram<ContextSchedule>.run("simulate-contexts")
    }
}
