import Foundation
import Synchronization

/// A process that a test starts; the test can wait for its end, and it does not outlive the test.
package final class ChildProcess: Sendable {
    package enum Ending: Sendable, Hashable {
        case exited(Int32)
        case signalled(Int32)
    }

    package struct CannotStart: Error {
        package var path: String
        package var reason: String
    }

    package let processID: Int32
    private let state = Mutex(State())

    private struct State {
        var ending: Ending?
        var waiters: [CheckedContinuation<Ending, Never>] = []
    }

    /// Starts a program.
    ///
    /// Its standard output goes to the file `output`, its standard error to `errors`; without a path they are
    /// discarded.
    package init(
        _ path: String,
        _ arguments: [String],
        environment: [String: String] = [:],
        output: String? = nil,
        errors: String? = nil
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let flags = O_WRONLY | O_CREAT | O_APPEND
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output ?? "/dev/null", flags, 0o644)
        posix_spawn_file_actions_addopen(&actions, 2, errors ?? "/dev/null", flags, 0o644)
        // A thread of libdispatch blocks nearly all signals, and a child would begin with the same mask.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var noSignals = sigset_t()
        sigemptyset(&noSignals)
        posix_spawnattr_setsigmask(&attributes, &noSignals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let settings = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        var child: pid_t = 0
        let status = ChildProcess.withCStrings([path] + arguments) { arguments in
            ChildProcess.withCStrings(settings.map { "\($0)=\($1)" }) { environment in
                posix_spawn(&child, path, &actions, &attributes, arguments, environment)
            }
        }
        guard status == 0 else { throw CannotStart(path: path, reason: String(cString: strerror(status))) }
        processID = child
        Thread.detachNewThread { [self] in reap() }
    }

    /// Starts a test run of one suite, with these variables in its environment.
    package static func test(_ suite: String, _ environment: [String: String]) throws -> ChildProcess {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return try ChildProcess(
            program,
            ["--testing-library", "swift-testing", "--filter", suite],
            environment: environment
        )
    }

    package func ending() async -> Ending {
        await withCheckedContinuation { continuation in
            let known = state.withLock { state in
                if state.ending == nil { state.waiters.append(continuation) }
                return state.ending
            }
            if let known { continuation.resume(returning: known) }
        }
    }

    /// Sends a signal; does nothing once the process has ended.
    package func send(_ signal: Int32) {
        state.withLock { state in
            if state.ending == nil { kill(processID, signal) }
        }
    }

    /// Waits for the end of the process with `waitid`, without reaping it first.
    ///
    /// The process ID stays valid until the ending is known, so that no signal can reach another process.
    private func reap() {
        var information = siginfo_t()
        while waitid(P_PID, id_t(processID), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        let waiters = state.withLock { state in
            var status: Int32 = 0
            while waitpid(processID, &status, 0) < 0, errno == EINTR {}
            let ending: Ending = status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .signalled(status & 0x7F)
            state.ending = ending
            defer { state.waiters = [] }
            return (ending, state.waiters)
        }
        for waiter in waiters.1 { waiter.resume(returning: waiters.0) }
    }

    private static func withCStrings<Result>(
        _ strings: [String],
        _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = strings.map { strdup($0) }
        defer { copies.forEach { free($0) } }
        return body(copies + [nil])
    }
}

/// The machine's Python, for programs that check or write the log in another language.
package struct Python: Sendable {
    private let interpreter: String

    /// Finds `python3`; nil where there is none.
    package init?() {
        guard let found = Python.interpreters.first else { return nil }
        interpreter = found
    }

    /// Finds the first `python3` that has a module; nil where none has.
    package init?(importing module: String) {
        let found = Python.interpreters.first { path in
            let process = Process()
            process.executableURL = URL(fileURLWithPath: path)
            process.arguments = ["-c", "import \(module)"]
            process.standardError = FileHandle.nullDevice
            guard (try? process.run()) != nil else { return false }
            process.waitUntilExit()
            return process.terminationStatus == 0
        }
        guard let found else { return nil }
        interpreter = found
    }

    private static var interpreters: [String] {
        (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":").map { "\($0)/python3" }
            .filter(FileManager.default.isExecutableFile)
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
