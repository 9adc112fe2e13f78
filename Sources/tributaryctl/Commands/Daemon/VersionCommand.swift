import ArgumentParser
import TributaryAdmin

struct VersionCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "version",
        abstract: "Show the versions of this command and of the daemon, when one answers."
    )

    @OptionGroup var connection: ConnectionOptions

    func run(with session: Session) async throws {
        var daemon: String?
        if let response = try? await session.call(AdminCall(.get, .status)) {
            daemon = try? response.decode(StatusMessage.self).version
        }
        if session.json {
            let known = daemon.map { ",\"daemon\":\"\($0)\"" } ?? ""
            session.terminal.print("{\"command\":\"\(TributaryVersion.current)\"\(known)}")
        } else {
            session.terminal.print("tributaryctl \(TributaryVersion.current)")
            if let daemon { session.terminal.print("tributaryd   \(daemon)") }
        }
    }
}
