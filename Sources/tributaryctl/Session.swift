import ArgumentParser
import Foundation
import Glibc
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryClient

struct Session: Sendable {
    let client: AdminClient
    let json: Bool
    let socket: String?
    let hints: HintText
    let terminal = Terminal.standard

    init(_ options: ConnectionOptions) {
        let locator = SocketLocator(
            environment: ProcessInfo.processInfo.environment,
            userID: geteuid(),
            exists: { FileManager.default.fileExists(atPath: $0) }
        )
        client = AdminClient(
            sockets: locator.candidates(socket: options.socket, instance: options.instance?.name),
            timeout: options.timeout.duration
        )
        json = options.format.json
        socket = locator.named(socket: options.socket, instance: options.instance?.name)
        hints = HintText(options)
    }

    func call(_ call: AdminCall) async throws -> AdminResponse {
        try await client.send(call).orProblem()
    }

    /// Shows the progress of long work; there is no time limit as long as the daemon sends progress.
    func follow(
        _ call: AdminCall,
        progress: (JSONValue) -> String,
        onEvent: (ServerSentEvent) throws -> Void = { _ in }
    ) async throws -> AdminResponse {
        var result: String?
        let response = try await client.events(call) { event in
            switch event.event {
            case "progress":
                if terminal.showsProgress, let step = event.json { terminal.progress(progress(step)) }
            case "problem":
                if terminal.showsProgress { terminal.progress(nil) }
                throw try JSONDecoder().decode(ProblemDocument.self, from: Data(event.data.utf8))
            case "result":
                result = event.data
            default:
                try onEvent(event)
            }
            return true
        }
        if terminal.showsProgress { terminal.progress(nil) }
        _ = try response.orProblem()
        guard let result else { throw CommandFailure(reason: "the daemon ended without a result", status: .tryAgain) }
        return AdminResponse(status: 200, headers: [:], body: Array(result.utf8))
    }

    func followChanges(after token: String? = nil, _ onEvent: (ServerSentEvent) -> Bool) async throws {
        var client = client
        client.timeout = max(client.timeout ?? .zero, .seconds(45))
        _ = try await client.events(AdminCall(.get, .changes, query: [("after", token)]), onEvent: onEvent).orProblem()
    }

    func show(_ response: AdminResponse, text: () throws -> Void) rethrows {
        if json { terminal.print(response.text) } else { try text() }
    }

    func call<Message: Decodable>(
        _ call: AdminCall,
        as type: Message.Type,
        text: (Message) throws -> Void
    ) async throws {
        let response = try await self.call(call)
        try show(response) { try text(try response.decode(type)) }
    }

    func report(_ error: any Error) -> any Error {
        switch error {
        case let problem as ProblemDocument:
            if json, let data = try? JSONEncoder().encode(problem) {
                terminal.print(String(decoding: data, as: UTF8.self))
            }
            return terminal.failed(describe(problem), ExitStatus(problem))
        case let located as LocatedProblem:
            let end = report(located.problem)
            for line in located.lines(width: terminal.width) { terminal.write(line + "\n", to: 2) }
            return end
        case let error as AdminClientError:
            let lines = [error.description] + ServiceState.lines(for: error.unansweredSockets)
            return terminal.failed(lines.joined(separator: "\n"), error.exitStatus)
        case let status as ExitStatus:
            return ExitCode(status.rawValue)
        case let failure as CommandFailure:
            return terminal.failed(failure.reason, failure.status)
        case let failure as FileFailure:
            return terminal.failed(EscapedText.escape(failure.description), .inputOutput)
        case is ExitCode, is ValidationError, is CleanExit:
            return error
        default:
            return terminal.failed(ErrorText.text(of: error), .internalError)
        }
    }

    private func describe(_ problem: ProblemDocument) -> String {
        var lines = [problem.detail ?? problem.title]
        // The text is shown below the first line with the position marked, as wide as the terminal is.
        if problem.position != nil { lines[0] = String(lines[0].prefix { !$0.isNewline }) }
        if let file = problem.file {
            lines[0] = [file, problem.line.map(String.init)].compactMap { $0 }.joined(separator: ":") + ": " + lines[0]
        }
        for error in problem.errors ?? [] {
            let subject = [error.entity, error.id, error.property].compactMap { $0 }.joined(separator: " ")
            // The detail already names the only failed property.
            if problem.errors?.count == 1, lines[0].contains(error.detail) { continue }
            lines.append("  \(subject): \(error.detail)")
        }
        let isOfStart = problem.type == ProblemKind.startFailed.type
        lines = isOfStart ? lines.flatMap(EscapedText.lines) : lines.map(EscapedText.escape)
        // A failed start gives an answer only to a program that has connected, so the state of the unit is added.
        if isOfStart {
            let state = ServiceState.lines(for: client.sockets)
            if !state.isEmpty { return (lines + state).joined(separator: "\n") }
        }
        if let hint = problem.hint { lines.append("hint: \(hints.text(hint))") }
        return lines.joined(separator: "\n")
    }
}
