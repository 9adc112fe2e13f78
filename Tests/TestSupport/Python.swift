import Foundation

/// The machine's Python, for programs that check or write the log in another language.
package struct Python: Sendable {
    private let interpreter: String

    /// Finds `python3`; nil where there is none.
    package init?() {
        let places = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
        let found = places.map { "\($0)/python3" }.first(where: FileManager.default.isExecutableFile)
        guard let found else { return nil }
        interpreter = found
    }

    package func run(
        _ program: String,
        _ arguments: [String]
    ) async throws -> (ending: ChildProcess.Ending, output: String, errors: String) {
        let folder = try TemporaryFolder("python")
        let (output, errors) = (folder.path("output.txt"), folder.path("errors.txt"))
        // Without -B the interpreter leaves a folder beside the program.
        let process = try ChildProcess(interpreter, ["-B", program] + arguments, output: output, errors: errors)
        let ending = await process.ending()
        func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }
        return (ending, try text(output), try text(errors))
    }
}
