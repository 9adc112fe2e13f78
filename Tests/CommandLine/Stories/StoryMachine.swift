import Foundation
import TestSupport
import Testing
import TributaryAdmin
import TributaryClient

/// A machine of a story: a daemon whose file system is a folder, with the paths of the documentation, on which the commands
/// of an article run.
final class StoryMachine {
    let name: String
    let daemon: RunningDaemon
    /// The path of the log folder as the documentation has it.
    var logs = "/var/lib/tributary/logs"
    /// The wrong clock of the machine; nil for the right one.
    var clock: ClockControl?
    /// The machine's ID, 32 hexadecimal digits; nil for that of the machine that runs the test.
    var machineID: String?
    /// The folder that a bind mount shows in the place of another one.
    var mount: (folder: String, place: String)?

    /// Creates the machine; `settings` are further lines of its configuration.
    init(_ name: String, settings: String = "") throws {
        self.name = name
        daemon = try RunningDaemon(name)
        let configuration = try String(contentsOfFile: daemon.configuration, encoding: .utf8)
        for folder in ["/var/lib/tributary/logs", "/var/backups", "/etc/tributary/tributary.d"] {
            try FileManager.default.createDirectory(atPath: path(folder), withIntermediateDirectories: true)
        }
        let lines = configuration.split(separator: "\n").filter { line in
            !["store:", "logs:", "export:"].contains { line.hasPrefix($0) }
        }
        let text =
            lines.joined(separator: "\n") + """

                export: {debounce: 10ms, acknowledge: 50ms}
                watch: {incomplete_grace: 1s}
                \(settings)

                """
        try Data(text.utf8).write(to: URL(fileURLWithPath: path("/etc/tributary/tributary.yaml")))
        let place = "store: \(path("/var/lib/tributary/store.sqlite"))\nlogs: \(path(logs))\n"
        try Data(place.utf8).write(to: URL(fileURLWithPath: path("/etc/tributary/tributary.d/place.yaml")))
        try FileManager.default.removeItem(atPath: daemon.configuration)
        for ending in ["yaml", "d"] {
            try FileManager.default.createSymbolicLink(
                atPath: daemon.folder.path("\(name).\(ending)"),
                withDestinationPath: path("/etc/tributary/tributary.\(ending)")
            )
        }
    }

    func path(_ path: String) -> String { daemon.folder.path("machine") + path }

    // MARK: The daemon

    func start() async throws {
        var arguments = (clock?.environment ?? [:]).map { "\($0)=\($1)" }
        var mounts: [(String, String)] = []
        if let machineID {
            try daemon.folder.write(machineID + "\n", to: "machine-id")
            mounts.append((daemon.folder.path("machine-id"), "/etc/machine-id"))
        }
        if let mount { mounts.append((mount.folder, mount.place)) }
        if !mounts.isEmpty {
            let script = mounts.map { "mount --bind '\($0.0)' '\($0.1)'; " }.joined() + #"exec "$@""#
            arguments += ["/usr/bin/unshare", "--mount", "--propagation", "private", "/bin/sh", "-ec", script, "sh"]
        }
        try await daemon.start(through: "/usr/bin/env", arguments)
    }

    func stop() async { #expect(await daemon.stop() == .exited(0), "\(daemon.log)") }

    func writer() async throws -> String { try await daemon.writer() }

    func status() async throws -> [String: Any] { try await daemon.call(.get, "/v1/status").1 }

    func problems() async throws -> [String] { try await daemon.problems() }

    func digest() async throws -> String { try await daemon.digest() }

    func save(_ number: UInt8) async throws { try await daemon.save(RunningDaemon.insertion(number)) }

    func rename(_ number: UInt8, to name: String) async throws {
        let id = RunningDaemon.employee(number)
        try await daemon.save(#"{"update":"Employee","id":"\#(id)","values":{"name":"\#(name)"}}"#)
    }

    func sync() async throws { _ = try await daemon.call(.post, "/v1/sync") }

    // MARK: Commands

    /// Runs a command as an operator types it; returns its output with the paths of the documentation.
    func type(_ line: String) async throws -> (ending: ChildProcess.Ending, output: String) {
        let mark = UUID().uuidString
        let functions = #"sudo() { [ "$1" != -u ] || shift 2; "$@"; }; "#
        var environment = clock?.environment ?? [:]
        environment["PATH"] =
            BuildFolder.programs + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")
        environment["TRIBUTARY_SOCKET"] = daemon.socket
        environment["TRIBUTARY_STORE"] = path("/var/lib/tributary/store.sqlite")
        let root = path("")
        let local = line.replacing(/(^|[ '|=])\/(var|etc|srv)\//) { "\($0.1)\(root)/\($0.2)/" }
        let process = try ChildProcess(
            "/bin/sh",
            ["-uc", functions + local],
            environment: environment,
            output: daemon.folder.path("out-\(mark)"),
            errors: daemon.folder.path("out-\(mark)")
        )
        let ending = await process.ending()
        let output = try String(contentsOfFile: daemon.folder.path("out-\(mark)"), encoding: .utf8)
        return (ending, output.replacing(/\/[^ ]*?\/machine\//, with: "/"))
    }

    /// Runs the commands of an article, each of which ends as the article says, with 0 unless its comment says
    /// otherwise; returns all output.
    @discardableResult
    func run(_ page: StoryPage, _ name: String, with values: [String: String] = [:]) async throws -> String {
        var outputs: [String] = []
        for line in try page.commands(name).map({ StoryPage.fill($0, with: values) }) {
            switch line {
            case "sudo systemctl start tributaryd.service": try await start()
            case "sudo systemctl stop tributaryd.service": await stop()
            default:
                let expected = line.firstMatch(of: /# ends with (\d+)/).flatMap { Int32($0.1) } ?? 0
                let (ending, output) = try await type(line)
                #expect(ending == .exited(expected), "\(line): \(output)\n\(daemon.log)")
                outputs.append(output)
            }
        }
        return outputs.joined()
    }

    /// Compares the first sight of the status with that in an article.
    func expectStatus(_ page: StoryPage, _ name: String, with values: [String: String] = [:]) async throws {
        let output = try await type("tributaryctl status").output
        let lines = try page.lines("status: \(name)", with: values)
        #expect(
            StoryPage.matches(output, lines),
            "\(name) of \(self.name):\n\(output)\nis not\n\(lines.joined(separator: "\n"))"
        )
    }
}
