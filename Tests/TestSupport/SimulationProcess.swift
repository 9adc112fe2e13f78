import Foundation

/// A run of a program that plays schedules.
package enum SimulationProcess {
    /// Returns what the program printed; it must end with the status 0.
    package static func run(_ program: String, _ arguments: [String]) async throws -> String {
        let folder = try TemporaryFolder("simulate")
        let output = folder.path("output")
        let process = try ChildProcess(
            BuildFolder.executable(program),
            arguments,
            environment: ["SWIFT_DETERMINISTIC_HASHING": "1"],
            output: output,
            errors: output
        )
        let ending = await process.ending()
        let printed = try String(contentsOfFile: output, encoding: .utf8)
        guard ending == .exited(0) else {
            throw Failure(description: "\(program) \(arguments) ended as \(ending):\n\(printed)")
        }
        return printed
    }

    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }
}
