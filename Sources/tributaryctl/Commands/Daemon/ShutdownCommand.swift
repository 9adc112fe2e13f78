import ArgumentParser
import TributaryAdmin

struct ShutdownCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "shutdown",
        abstract: "Stop the daemon gracefully; nothing that was accepted is lost."
    )

    @OptionGroup var connection: ConnectionOptions

    func run(with session: Session) async throws {
        let response = try await session.call(AdminCall(.post, .shutdown))
        session.terminal.print(session.json ? response.text : "stopping")
    }
}
