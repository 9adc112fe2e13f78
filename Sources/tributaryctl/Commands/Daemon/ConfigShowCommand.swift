import ArgumentParser
import TributaryAdmin

struct ConfigShowCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show each value and where it comes from."
    )

    @OptionGroup var connection: ConnectionOptions

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
