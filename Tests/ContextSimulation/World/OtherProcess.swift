import Foundation
import SimulationRunning
import Synchronization
import TestSupport

/// The context elsewhere, when it is in another process on the same file.
///
/// Requests go to the process line by line, and so do the replies.
final class OtherProcess: Sendable {
    /// The argument with which the program runs only this context.
    fileprivate static let option = "--context"

    private struct Pipes {
        let process: Process
        let requests: FileHandle
        let replies: FileHandle
        var rest = Data()

        mutating func readLine() throws -> Data {
            while true {
                if let end = rest.firstIndex(of: 0x0A) {
                    defer { rest = Data(rest[(end + 1)...]) }
                    return Data(rest[..<end])
                }
                var waiting = pollfd(fd: replies.fileDescriptor, events: Int16(POLLIN), revents: 0)
                guard poll(&waiting, 1, 120_000) != 0 else {
                    kill(process.processIdentifier, SIGKILL)
                    throw Divergence("the other process has not answered for 120 s")
                }
                let more = replies.availableData
                guard !more.isEmpty else { throw Divergence("the other process has ended") }
                rest += more
            }
        }
    }

    private let arguments: [String]
    private let pipes: Mutex<Pipes>

    /// Starts the process; `path` is that of the store, which exists.
    init(_ path: String, _ schedule: ContextSchedule) throws {
        arguments = [OtherProcess.option, path, schedule.title]
        pipes = Mutex(try OtherProcess.start(arguments))
    }

    private static func start(_ arguments: [String]) throws -> Pipes {
        let process = Process()
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        let (requests, replies) = (Pipe(), Pipe())
        (process.standardInput, process.standardOutput) = (requests, replies)
        try process.run()
        return Pipes(process: process, requests: requests.fileHandleForWriting, replies: replies.fileHandleForReading)
    }

    /// Kills the process, with its unsaved changes, and starts another one.
    func killAndStart() async throws {
        try await onThread { [self] in
            try pipes.withLock { pipes in
                kill(pipes.process.processIdentifier, SIGKILL)
                pipes.process.waitUntilExit()
                pipes = try OtherProcess.start(arguments)
            }
        }
    }

    func ask(_ request: ContextRequest) async throws -> ContextReply {
        try await onThread { [self] in
            let line = try pipes.withLock { pipes in
                try pipes.requests.write(contentsOf: JSONEncoder().encode(request) + [0x0A])
                return try pipes.readLine()
            }
            switch try JSONDecoder().decode(Answer.self, from: line) {
            case .reply(let reply): return reply
            case .failure(let text): throw Divergence(text)
            }
        }
    }

    /// The process ends with its input.
    func close() async throws {
        try await onThread { [self] in
            let status = try pipes.withLock { pipes in
                try pipes.requests.close()
                pipes.process.waitUntilExit()
                return pipes.process.terminationStatus
            }
            guard status == 0 else { throw Divergence("the other process ends with the status \(status)") }
        }
    }

    enum Answer: Codable {
        case reply(ContextReply)
        case failure(String)
    }
}

/// The program of the other process.
package enum ContextProcess {
    /// Runs one context until the input ends; returns false when the arguments are not those of the other process.
    package static func run(_ arguments: [String]) async throws -> Bool {
        guard arguments.count == 3, arguments[0] == OtherProcess.option else { return false }
        let contexts = try await OpenContexts(elsewhere: arguments[1], ContextSchedule(text: arguments[2]))
        while let line = readLine() {
            let request = try JSONDecoder().decode(ContextRequest.self, from: Data(line.utf8))
            let answer: OtherProcess.Answer
            do {
                answer = .reply(try await contexts.ask(ContextPlace.elsewhere, request))
            } catch {
                answer = .failure("\(error)")
            }
            try FileHandle.standardOutput.write(contentsOf: JSONEncoder().encode(answer) + [0x0A])
        }
        try await contexts.close()
        return true
    }
}
