import ArgumentParser
import TributaryAdmin

struct MetricsCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "metrics",
        abstract: "Show the metrics in Prometheus's text form."
    )

    @OptionGroup var connection: ConnectionOptions

    func run(with session: Session) async throws {
        session.terminal.print(try await session.call(AdminCall(.get, .metrics)).text)
    }
}
