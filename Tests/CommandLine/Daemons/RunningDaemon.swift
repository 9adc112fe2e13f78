import Foundation
import TestSupport
import Testing
import TributaryAdmin

/// A `tributaryd` process in a scratch folder, with short timers.
final class RunningDaemon {
    let folder: TemporaryFolder
    let name: String
    private var notify: NotifySocket
    private(set) var process: ChildProcess?
    /// The time at which the process had ended after a request to stop.
    private var endOfStop: Date?

    /// Creates the configuration; daemons in one folder are peers with one log folder.
    init(_ name: String = "one", in folder: TemporaryFolder? = nil) throws {
        self.folder = try folder ?? TemporaryFolder("daemon")
        self.name = name
        notify = try NotifySocket(in: self.folder)
        try self.folder.write(EmployeeModel.text, to: "model.yaml")
        try configure()
        try FileManager.default.createDirectory(atPath: logs, withIntermediateDirectories: true)
    }

    /// A daemon that is ready, with more lines in its configuration.
    static func started(configuring more: String = "") async throws -> RunningDaemon {
        let daemon = try RunningDaemon()
        try daemon.configure(more)
        try await daemon.start()
        return daemon
    }

    var logs: String { folder.path("logs") }
    var store: String { folder.path("\(name).sqlite") }
    var socket: String { folder.path("\(name).sock") }
    var configuration: String { folder.path("\(name).yaml") }
    var client: AdminClient { AdminClient(sockets: [socket]) }

    func configure(_ more: String = "", name shown: String? = nil) throws {
        try folder.write(
            """
            name: "\(shown ?? name)"
            store: \(store)
            model: \(folder.path("model.yaml"))
            logs: \(logs)
            merge: {debounce: 20ms, ceiling: 100ms}
            export: {debounce: 10ms}
            admin: {socket: \(socket)}
            \(more)
            """,
            to: "\(name).yaml"
        )
    }

    func start() async throws {
        let started = try begin()
        try #require(await notify.wait(for: "READY=1", from: started), "the daemon did not start:\n\(log)")
    }

    /// Starts the daemon, and waits for another line to the service manager before it is ready.
    func start(hearing line: String) async throws {
        let started = try begin()
        try #require(await notify.wait(for: line, from: started), "the daemon did not say so:\n\(log)")
        try #require(await notify.wait(for: "READY=1", from: started), "the daemon did not start:\n\(log)")
    }

    /// Starts the daemon, and requests its stop after a line to the service manager.
    func stop(afterHearing line: String) async throws -> ChildProcess.Ending? {
        let started = try begin()
        try #require(await notify.wait(for: line, from: started), "the daemon did not say so:\n\(log)")
        return await stop()
    }

    /// Starts the daemon without the capability that lets root read all files.
    func startWithoutReadingEverything() async throws {
        guard getuid() == 0 else { return try await start() }
        try await start(through: "/usr/bin/setpriv", ["--bounding-set=-dac_override,-dac_read_search"])
    }

    /// Starts the daemon through a program that executes the command line after its own arguments.
    func start(through program: String, _ arguments: [String]) async throws {
        notify = try NotifySocket(in: folder)
        let started = try ChildProcess(
            program,
            arguments + [BuildFolder.executable("tributaryd"), "--config", configuration],
            environment: ["NOTIFY_SOCKET": notify.path],
            errors: folder.path("\(name).log")
        )
        process = started
        try #require(await notify.wait(for: "READY=1", from: started), "the daemon did not start:\n\(log)")
    }

    /// Starts a process with a new notification socket, so that messages of the previous process are not attributed to
    /// it.
    private func begin() throws -> ChildProcess {
        notify = try NotifySocket(in: folder)
        let started = try spawn()
        process = started
        return started
    }

    func spawn() throws -> ChildProcess {
        try ChildProcess(
            BuildFolder.executable("tributaryd"),
            ["--config", configuration],
            environment: ["NOTIFY_SOCKET": notify.path],
            errors: folder.path("\(name).log")
        )
    }

    /// Sends a signal and waits for a line to the service manager; false when the process ended instead.
    func hears(_ line: String, after signal: Int32) async throws -> Bool {
        let running = try #require(process)
        running.send(signal)
        return await notify.wait(for: line, from: running)
    }

    func stop() async -> ChildProcess.Ending? {
        guard let running = process else { return nil }
        running.send(SIGTERM)
        // The wait has a thread of its own: a task on a busy machine would be resumed much later.
        let id = id_t(running.processID)
        endOfStop = try? await onThread {
            var information = siginfo_t()
            while waitid(P_PID, id, &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
            return Date()
        }
        return await running.ending()
    }

    deinit { process?.send(SIGKILL) }

    func command(
        _ arguments: [String],
        of program: String = "tributaryctl",
        environment: [String: String] = [:]
    ) async throws -> (ending: ChildProcess.Ending, output: String, errors: String) {
        let mark = UUID().uuidString
        let process = try ChildProcess(
            BuildFolder.executable(program),
            arguments,
            environment: environment.merging(["TRIBUTARY_SOCKET": socket]) { $1 },
            output: folder.path("out-\(mark)"),
            errors: folder.path("err-\(mark)")
        )
        let ending = await process.ending()
        return (ending, text("out-\(mark)"), text("err-\(mark)"))
    }

    func call(_ method: AdminCall.Method, _ target: String, _ body: String? = nil) async throws -> (Int, [String: Any])
    {
        let answer = try await client.send(AdminCall(method, target, body: body.map { Array($0.utf8) }))
        let value = try? JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
        return (answer.status, value ?? [:])
    }

    func exportedText() throws -> String {
        let files = FileManager.default.enumerator(atPath: logs)?.compactMap { $0 as? String } ?? []
        return try files.filter { $0.hasSuffix(".tlog") }
            .map { try String(contentsOfFile: logs + "/" + $0, encoding: .utf8) }
            .joined()
    }

    /// Everything that the daemon has written to its journal, over all of its starts.
    var journal: String { text("\(name).log") }

    /// The end of the journal, for the messages of failures: a line may have left it already.
    var log: String { journal.split(separator: "\n").suffix(20).joined(separator: "\n") }

    /// Returns the seconds from the journal's line about the start of the stop to the end of the process, which may
    /// wait after its last line.
    func secondsOfStop() throws -> TimeInterval {
        let lines = journal.split(separator: "\n")
        let start = try #require(lines.last { $0.hasSuffix(" Stopping") }, "\(log)")
        let end = try #require(endOfStop, "it was not stopped")
        return try end.timeIntervalSince(time(of: start))
    }

    private func time(of line: Substring) throws -> Date {
        let written = line.prefix { $0 != " " } + "Z"
        return try Date(String(written), strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    private func text(_ file: String) -> String {
        (try? String(contentsOfFile: folder.path(file), encoding: .utf8)) ?? ""
    }
}
