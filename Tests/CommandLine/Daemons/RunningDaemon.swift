import Foundation
import TestSupport
import TestTraits
import Testing
import TributaryAdmin
import TributaryClient

/// A `tributaryd` process in a scratch folder, with short timers; it is stopped when its test ends.
final class RunningDaemon: EndingWithTest {
    let folder: TemporaryFolder
    let name: String
    private var notify: NotifySocket
    private(set) var process: ChildProcess?
    /// The time at which the process had ended after a request to stop.
    private var endOfStop: Date?
    /// Whether the test has started the process and neither stopped nor killed it.
    private var isRunning = false

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

    /// Replaces a text in the configuration.
    func reconfigure(_ former: String, to text: String) throws {
        let configured = try String(contentsOfFile: configuration, encoding: .utf8)
        try #require(configured.contains(former), "\(configured)")
        try folder.write(configured.replacing(former, with: text), to: "\(name).yaml")
    }

    func start() async throws {
        let started = try begin()
        try await becomesReady(started)
    }

    private func becomesReady(_ started: ChildProcess) async throws {
        try #require(await notify.wait(for: "READY=1", from: started), "the daemon did not start:\n\(log)")
    }

    /// Starts the daemon, and waits for another line to the service manager before it is ready.
    func start(hearing line: String) async throws {
        let started = try begin()
        try #require(await notify.wait(for: line, from: started), "the daemon did not say so:\n\(log)")
        try await becomesReady(started)
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
        let daemon = [BuildFolder.executable("tributaryd"), "--config", configuration]
        try await becomesReady(begin(program, arguments + daemon))
    }

    /// Starts a process with a new notification socket, so that messages of the previous process are not attributed to
    /// it.
    private func begin(_ program: String? = nil, _ arguments: [String]? = nil) throws -> ChildProcess {
        notify = try NotifySocket(in: folder)
        let started = try spawn(program, arguments)
        process = started
        isRunning = true
        PartsOfTest.current?.insert(self)
        return started
    }

    func spawn(_ program: String? = nil, _ arguments: [String]? = nil) throws -> ChildProcess {
        try ChildProcess(
            program ?? BuildFolder.executable("tributaryd"),
            arguments ?? ["--config", configuration],
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

    /// Requests the stop of the daemon before the end of the test, and waits for it.
    func stop() async -> ChildProcess.Ending? {
        guard let running = process else { return nil }
        finish()
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

    /// Kills the daemon, whose end need not be awaited.
    func kill() {
        finish()
        process?.send(SIGKILL)
    }

    private func finish() {
        isRunning = false
        PartsOfTest.current?.remove(self)
    }

    /// A daemon that its test has left running ends with 0.
    func end(afterFailure: Bool) async {
        guard isRunning, !afterFailure else { return }
        #expect(await stop() == .exited(0), "\(log)")
    }

    deinit { process?.send(SIGKILL) }

    func command(
        _ arguments: [String],
        of program: String = "tributaryctl",
        input: String? = nil,
        environment: [String: String] = [:]
    ) async throws -> Answer {
        let settings = environment.merging(["TRIBUTARY_SOCKET": socket]) { $1 }
        return try await Answer(of: arguments, to: program, in: folder, input: input, environment: settings)
    }

    /// The answer of a command that must succeed, and whose output and errors must contain these texts.
    @discardableResult
    func success(
        of arguments: [String],
        input: String? = nil,
        environment: [String: String] = [:],
        output: String = "",
        errors: String = "",
        at place: SourceLocation = #_sourceLocation
    ) async throws -> Answer {
        try await expect(
            0,
            of: arguments,
            input: input,
            environment: environment,
            output: output,
            errors: errors,
            at: place
        )
    }

    /// The answer of a command that must end with a status, and whose output and errors must contain these texts.
    @discardableResult
    func expect(
        _ status: Int32,
        of arguments: [String],
        from program: String = "tributaryctl",
        input: String? = nil,
        environment: [String: String] = [:],
        output: String = "",
        errors: String = "",
        at place: SourceLocation = #_sourceLocation
    ) async throws -> Answer {
        let answer = try await command(arguments, of: program, input: input, environment: environment)
        let isExpected =
            answer.ending == .exited(status) && (output.isEmpty || answer.output.contains(output))
            && (errors.isEmpty || answer.errors.contains(errors))
        #expect(isExpected, "\(status) \(output) \(errors), \(arguments): \(answer)\n\(log)", sourceLocation: place)
        return answer
    }

    /// Has the daemon save changes, each given as JSON.
    func save(_ changes: [String]) async throws {
        let (status, answer) = try await call(
            .post,
            "/v1/transactions",
            "{\"changes\":[\(changes.joined(separator: ","))]}"
        )
        #expect(status == 200, "\(answer)")
    }

    func save(_ changes: String...) async throws { try await save(changes) }

    /// The number of visible objects of an entity.
    func count(_ entity: String) async throws -> Int? {
        try await call(.get, "/v1/objects/\(entity)?count=true").1["count"] as? Int
    }

    /// The codes of the problems in the daemon's status, which it must report at any time.
    func problems() async throws -> [String] {
        let (status, answer) = try await call(.get, "/v1/status")
        try #require(status == 200, "\(answer)")
        return try #require(answer["problems"] as? [[String: Any]]).compactMap { $0["code"] as? String }
    }

    func writer() async throws -> String { try #require(try await call(.get, "/v1/status").1["writer"] as? String) }

    func digest() async throws -> String { try #require(try await call(.get, "/v1/digest").1["digest"] as? String) }

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

/// How a program has ended, and what it has said.
struct Answer {
    let ending: ChildProcess.Ending
    let output: String
    let errors: String

    /// Runs a program, which reads the input when there is one.
    init(
        of arguments: [String],
        to program: String = "tributaryctl",
        in folder: TemporaryFolder,
        input: String? = nil,
        environment: [String: String] = [:]
    ) async throws {
        let command = [BuildFolder.executable(program)] + arguments
        guard let input else {
            try await self.init(running: command, in: folder, environment: environment)
            return
        }
        let file = "in-\(UUID().uuidString)"
        try folder.write(input, to: file)
        try await self.init(
            running: ["/bin/sh", "-c", "exec \"$0\" \"$@\" < \"$INPUT\""] + command,
            in: folder,
            environment: environment.merging(["INPUT": folder.path(file)]) { $1 }
        )
    }

    /// Runs a command, the first word of which is the path of its program.
    init(running command: [String], in folder: TemporaryFolder, environment: [String: String] = [:]) async throws {
        let mark = UUID().uuidString
        let process = try ChildProcess(
            command[0],
            Array(command.dropFirst()),
            environment: environment,
            output: folder.path("out-\(mark)"),
            errors: folder.path("err-\(mark)")
        )
        ending = await process.ending()
        output = try String(contentsOfFile: folder.path("out-\(mark)"), encoding: .utf8)
        errors = try String(contentsOfFile: folder.path("err-\(mark)"), encoding: .utf8)
    }
}
