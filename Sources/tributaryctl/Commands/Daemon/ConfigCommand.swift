import ArgumentParser
import TributaryAdmin
import TributaryClient

struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "The daemon's configuration.",
        subcommands: [ConfigShowCommand.command],
        defaultSubcommand: ConfigShowCommand.command
    )
}

struct ConfigShowCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show each value and where it comes from."
    )

    func run(with session: Session) async throws {
        let call = AdminCall(.get, .configuration)
        try await session.call(call, as: ConfigurationMessage.self) { message in
            var table = Table("KEY", "VALUE", "FROM")
            for setting in message.settings {
                table.add([
                    setting.key, setting.value,
                    [setting.origin, setting.place].compactMap { $0 }.joined(separator: " "),
                ])
            }
            table.print(on: session.terminal)
            if message.restartNeeded {
                session.terminal.print("A restart is needed for the whole configuration to take effect.")
            }
        }
    }
}

struct ReloadCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload",
        abstract:
            "Read the configuration again; a bad configuration is refused, and the old configuration stays in effect."
    )

    func run(with session: Session) async throws {
        let response = try await session.client.send(AdminCall(.post, .reload))
        do {
            let message = try response.orProblem().decode(ReloadMessage.self)
            for warning in message.warnings ?? [] {
                session.terminal.complain("warning: " + session.hints.text(warning))
            }
            session.show(response) {
                let changed = message.changed.joined(separator: ", ")
                session.terminal.print(changed.isEmpty ? "nothing changed" : "changed: " + changed)
                guard !message.restartNeeded.isEmpty else { return }
                session.terminal.print("needs a restart: " + message.restartNeeded.joined(separator: ", "))
            }
        } catch let problem as ProblemDocument where problem.type == ProblemKind.badConfiguration.type {
            _ = session.report(problem)
            throw ExitStatus.badConfiguration
        }
    }
}

struct LogLevelCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "log-level",
        abstract: "Show the log level, or set it until the next reload or restart."
    )

    @Argument(help: "trace, debug, info, notice, warning, error or critical.")
    var level: String?

    func run(with session: Session) async throws {
        var call = AdminCall(.get, .logLevel)
        if let level {
            let body = "{\"level\":\"\(level.filter { $0.isLetter })\"}"
            call = AdminCall(.put, .logLevel, body: Array(body.utf8))
        }
        try await session.call(call, as: LogLevelMessage.self) { session.terminal.print($0.level) }
    }
}
