import ArgumentParser
import Foundation
import TributaryAdmin
import TributaryChanges
import TributaryClient

struct WatchCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Print what happens as it happens, one event a line, until interrupted.",
        discussion: "Ends with 75 when the daemon stops."
    )

    @Option(help: ArgumentHelp("Begin after this token instead of now.", valueName: "token"))
    var after: String?

    @Option(help: ArgumentHelp("End after so many updates of the store.", valueName: "number"))
    var updates: Int?

    func validate() throws {
        if let updates, updates < 1 { throw ValidationError("--updates is a number from 1") }
    }

    func run(with session: Session) async throws {
        var (remaining, isStopped) = (updates, false)
        try await session.followChanges(after: after) { event in
            if session.json {
                session.terminal.print(#"{"event":"\#(event.event)","data":\#(event.data)}"#)
            } else {
                let time = TimeText.time(Date().timeIntervalSince1970) ?? ""
                session.terminal.print(
                    session.terminal.styled(time, .faint) + "  " + EscapedText.escape(EventText.line(event))
                )
            }
            if event.event == "bye" {
                isStopped = true
                return false
            }
            if event.event == "storeDidUpdate", let left = remaining {
                remaining = left - 1
                return left > 1
            }
            return true
        }
        if isStopped { throw ExitStatus.tryAgain }
    }
}

struct WaitCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "wait",
        abstract: "Wait until the files that were in the log folder at the daemon's start are imported.",
        discussion: """
            For programs that need a whole store, such as services on a new machine. The command does not wait for \
            segments that cannot be imported because they wait for others, are held or are damaged. It prints a \
            warning about held segments, and status shows all of them. While importing is paused, or the log folder is \
            not there, the command waits.

            Ends with 75 when the daemon stops.
            """
    )

    func run(with session: Session) async throws {
        var isComplete = false
        try await session.followChanges { event in
            switch event.event {
            case "hello":
                isComplete = event.json?["initialImportComplete"] == .boolean(true)
            case "initialImport": isComplete = true
            case "bye": return false
            default: break
            }
            return !isComplete
        }
        guard isComplete else {
            throw CommandFailure(reason: "the daemon stopped before the import was complete", status: .tryAgain)
        }
        let status = try await session.call(AdminCall(.get, .status)).decode(StatusMessage.self)
        for problem in status.problems where problem.code == .segmentsHeld {
            session.terminal.complain(
                "not imported: " + EscapedText.escape(problem.detail)
                    + (problem.hint.map { " " + session.hints.text($0) } ?? "")
            )
        }
        if session.json { session.terminal.print(#"{"initialImportComplete":true}"#) }
    }
}
