import ArgumentParser
import TributaryAdmin

struct ShutdownCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "shutdown",
        abstract: "Stop the daemon gracefully; nothing that was accepted is lost. It stays down until it is started."
    )

    @OptionGroup var connection: ConnectionOptions

    func run(with session: Session) async throws {
        let response = try await session.call(AdminCall(.post, .shutdown))
        if session.json { return session.terminal.print(response.text) }
        session.terminal.print("stopping")
        if let unit = session.client.unit {
            session.terminal.print("to start it again: systemctl start \(unit)")
        }
    }
}
