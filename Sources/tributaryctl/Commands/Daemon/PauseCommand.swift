import ArgumentParser
import TributaryAdmin
import TributaryClient

struct PauseCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Stop importing until resume, also over a restart; local saves and exports continue."
    )

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("How long, such as 30m; else until resume.", valueName: "time")
    )
    var duration: DurationArgument?

    func run(with session: Session) async throws {
        let body = duration.map { "{\"forSeconds\":\($0.seconds)}" } ?? "{}"
        let response = try await session.call(AdminCall(.post, .pause, body: Array(body.utf8)))
        session.terminal.print(session.json ? response.text : "paused")
    }
}

struct ResumeCommand: DaemonCommand {
    static let configuration = CommandConfiguration(commandName: "resume", abstract: "Import again after a pause.")

    func run(with session: Session) async throws {
        let response = try await session.call(AdminCall(.post, .resume))
        session.terminal.print(session.json ? response.text : "importing")
    }
}

struct ShutdownCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "shutdown",
        abstract: "Stop the daemon gracefully until it is started again; nothing that was accepted is lost."
    )

    func run(with session: Session) async throws {
        let response = try await session.call(AdminCall(.post, .shutdown))
        if session.json { return session.terminal.print(response.text) }
        session.terminal.print("stopping")
        if let unit = session.client.unit {
            session.terminal.print(HintText.withRights("to start it again: systemctl start \(unit)"))
        }
    }
}
