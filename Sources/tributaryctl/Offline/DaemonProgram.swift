import ArgumentParser
import Foundation
import TributaryAdmin

/// The daemon's program next to this program; no other program reads configurations and stores.
enum DaemonProgram {
    static func run(_ arguments: [String]) throws(CommandFailure) -> Int32 {
        try run(arguments, output: nil)
    }

    static func output(of arguments: [String]) throws(CommandFailure) -> (output: Data, status: Int32) {
        let pipe = Pipe()
        var output = Data()
        let status = try run(arguments, output: pipe) { output = $0.readData(ofLength: 16 << 20) }
        return (output, status)
    }

    private static func run(
        _ arguments: [String],
        output: Pipe?,
        reading: (FileHandle) -> Void = { _ in }
    ) throws(CommandFailure) -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appending(path: "tributaryd")
        process.arguments = arguments
        if let output { process.standardOutput = output }
        do {
            try process.run()
        } catch {
            throw CommandFailure(reason: "tributaryd: it cannot be run: \(error)", status: .unavailable)
        }
        if let output { reading(output.fileHandleForReading) }
        process.waitUntilExit()
        return process.terminationStatus
    }
}

struct ServiceOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The configuration file.", valueName: "file"), completion: .file())
    var config: String?

    @Option(help: ArgumentHelp("The instance's name: /etc/tributary/NAME.yaml.", valueName: "name"))
    var instance: InstanceName?

    func validate() throws {
        if config != nil, instance != nil { throw ValidationError("give either --config or --instance") }
    }

    var arguments: [String] {
        let file = config ?? instance.map { "/etc/tributary/\($0.name).yaml" }
        return file.map { ["--config", $0] } ?? []
    }
}
