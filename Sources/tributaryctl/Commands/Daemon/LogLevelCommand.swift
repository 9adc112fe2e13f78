import ArgumentParser
import TributaryAdmin

struct LogLevelCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "log-level",
        abstract: "Show the log level, or set it until the next reload or restart."
    )

    @Argument(help: "trace, debug, info, notice, warning, error or critical.")
    var level: String?

    @OptionGroup var connection: ConnectionOptions

    func run(with session: Session) async throws {
        var call = AdminCall(.get, .logLevel)
        if let level {
            let body = "{\"level\":\"\(level.filter { $0.isLetter })\"}"
            call = AdminCall(.put, .logLevel, body: Array(body.utf8))
        }
        try await session.call(call, as: LogLevelMessage.self) { session.terminal.print($0.level) }
    }
}
